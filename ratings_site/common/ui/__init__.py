"""Formatting, form fields, tables, icons and charts that all pages share."""
