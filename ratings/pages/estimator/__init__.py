"""The rating estimator."""
