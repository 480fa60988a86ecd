from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("common", "0015_waiting_deliveries")]

    operations = [
        migrations.CreateModel(
            name="UploadPart",
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
                ("name", models.CharField(max_length=200)),
                ("number", models.PositiveIntegerField()),
                ("content", models.BinaryField()),
            ],
            options={
                "verbose_name": "part of an uploaded file",
                "verbose_name_plural": "parts of uploaded files",
                "ordering": ["name", "number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("name", "number"), name="upload_parts_are_numbered"
                    )
                ],
            },
        ),
    ]
