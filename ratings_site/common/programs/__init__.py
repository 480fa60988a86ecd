"""Programs and other sites that act for an account: device sign-in, OpenID Connect."""
