from allauth.mfa.adapter import get_adapter
from allauth.mfa.utils import decrypt, encrypt
from django.db import migrations

SECRETS = ("secret", "seed")


def encrypt_plain(apps, schema_editor):
    """Encrypt what was stored before secrets were."""
    _write(apps, lambda text: encrypt(decrypt(text)) if get_adapter().is_readable(text) else text)


def decrypt_all(apps, schema_editor):
    """Store plain secrets again; one that no key opens stays as it is."""
    _write(apps, lambda text: decrypt(text) if get_adapter().is_readable(text) else text)


def _write(apps, said):
    for factor in apps.get_model("mfa", "Authenticator").objects.all():
        found = {name: said(factor.data[name]) for name in SECRETS if name in factor.data}
        if found:
            factor.data = {**factor.data, **found}
            factor.save(update_fields=["data"])


class Migration(migrations.Migration):

    dependencies = [
        ("common", "0008_accounts"),
        ("mfa", "0003_authenticator_type_uniq"),
    ]

    operations = [migrations.RunPython(encrypt_plain, decrypt_all)]
