-- The two roles and the database of docs/operations.md, for psql 15 or newer as a superuser.
-- OWNER_PASSWORD and WEB_PASSWORD come from the environment. Running it again only sets
-- these passwords again.
\getenv owner_password OWNER_PASSWORD
\getenv web_password WEB_PASSWORD
SET log_statement = 'none';
SELECT format('CREATE ROLE %I LOGIN', role)
  FROM (VALUES ('ratings_office'), ('ratings_office_web')) AS wanted (role)
 WHERE role NOT IN (SELECT rolname FROM pg_roles)
\gexec
ALTER ROLE ratings_office PASSWORD :'owner_password';
ALTER ROLE ratings_office_web PASSWORD :'web_password';
SELECT 'CREATE DATABASE ratings_office OWNER ratings_office'
 WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'ratings_office')
\gexec
