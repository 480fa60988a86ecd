from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('common', "0021_api_key_uses"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='office',
            options={'permissions': [('export_office', 'Can export all data of the office')], 'verbose_name': 'office'},
        ),
    ]
