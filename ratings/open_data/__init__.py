"""Open data: public files of whole tables."""
