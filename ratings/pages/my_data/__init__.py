"""The data about a person: download and deletion."""
