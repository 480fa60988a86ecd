import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("common", "0004_audit_and_job_indexes")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="language",
            field=models.CharField(
                blank=True,
                db_default="",
                help_text="Of notices and e-mails, such as en; blank is the office's "
                "own.",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="user",
            name="unread_notices",
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("kind", models.CharField(max_length=60)),
                ("key", models.CharField(max_length=120)),
                ("title", models.CharField(max_length=200)),
                ("text", models.TextField(blank=True)),
                ("url", models.CharField(max_length=200)),
                ("on_site", models.BooleanField(default=True)),
                ("batch", models.CharField(blank=True, max_length=40)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("read_at", models.DateTimeField(blank=True, null=True)),
                ("mailed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("on_site", True), ("read_at", None)),
                        fields=["account"],
                        name="unread_notices",
                    ),
                    models.Index(
                        condition=models.Q(("batch", ""), _negated=True),
                        fields=["batch"],
                        name="notices_to_mail",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("account", "key"), name="nobody_is_told_the_same_twice"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("title", ""), _negated=True),
                        name="notice_says_something",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="NoticeSetting",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                ("kind", models.CharField(max_length=60)),
                (
                    "channel",
                    models.CharField(
                        choices=[("site", "On the site"), ("mail", "By e-mail")],
                        max_length=4,
                    ),
                ),
                ("is_on", models.BooleanField()),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notice_settings",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("account", "kind", "channel"),
                        name="one_notice_setting_per_kind_and_channel",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("channel__in", ["site", "mail"])),
                        name="notice_channel_is_known",
                    ),
                ],
            },
        ),
    ]
