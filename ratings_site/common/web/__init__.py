"""Requests and answers: middleware, problems, parts of pages."""
