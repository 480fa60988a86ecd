"""Why a rating changed, step by step."""
