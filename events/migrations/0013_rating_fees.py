"""Rating fees, and the append-only lines of what affiliates were charged."""

from decimal import Decimal

import django.db.models.deletion
from django.db import migrations, models
from django.utils import timezone

from ratings_site.common.db.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [("events", "0012_exclusive_affiliates")]
    operations = [
        migrations.CreateModel(
            name='RatingFee',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('starts', models.DateField(help_text='The fee applies to events that end on this day or later.', verbose_name='first day')),
                ('system', models.CharField(blank=True, choices=[('', 'All sections'), ('OTBR', 'Regular'), ('OTBQ', 'Quick'), ('OTBB', 'Blitz'), ('OLR', 'Online regular'), ('OLQ', 'Online quick'), ('OLB', 'Online blitz')], help_text='The fee of one rating system replaces that of all sections. A section rated in two systems pays for the first one.', max_length=4, verbose_name='sections')),
                ('basis', models.CharField(choices=[('game', 'Game'), ('player', 'Player'), ('section', 'Section')], default='game', max_length=7, verbose_name='charged per')),
                ('amount', models.DecimalField(decimal_places=2, max_digits=8)),
                ('office_amount', models.DecimalField(blank=True, decimal_places=2, help_text='For reports on paper. Leave blank if it is the same.', max_digits=8, null=True, verbose_name='amount if the office enters the report')),
                ('minimum', models.DecimalField(decimal_places=2, default=Decimal('0.00'), max_digits=8, verbose_name='minimum for an event')),
            ],
            options={
                'ordering': ['-starts', 'system'],
                'constraints': [models.UniqueConstraint(fields=('system', 'starts'), name='one_fee_from_a_day', violation_error_message='There is already a fee for these sections from this day.'), models.CheckConstraint(condition=models.Q(('amount__gte', 0), ('basis__in', ['game', 'player', 'section']), ('minimum__gte', 0), models.Q(('office_amount', None), ('office_amount__gte', 0), _connector='OR')), name='fee_is_not_negative', violation_error_message='A fee can’t be negative. Enter 0 for none.')],
            },
        ),
        migrations.CreateModel(
            name='FeeCharge',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField(default=timezone.localdate, verbose_name='charged on')),
                ('cause', models.CharField(choices=[('accepted', 'Accepted report'), ('correction', 'Correction'), ('minimum', 'Minimum for an event')], max_length=10)),
                ('basis', models.CharField(blank=True, choices=[('game', 'Game'), ('player', 'Player'), ('section', 'Section')], max_length=7, verbose_name='charged per')),
                ('quantity', models.IntegerField(default=1)),
                ('rate', models.DecimalField(decimal_places=2, max_digits=8)),
                ('minimum', models.DecimalField(decimal_places=2, default=Decimal('0.00'), max_digits=8)),
                ('affiliate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='charges', to='events.affiliate')),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='charges', to='events.event')),
                ('section', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='charges', to='events.section')),
            ],
            options={
                'ordering': ['day', 'pk'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('cause', 'accepted')), fields=('section',), name='section_is_charged_once'), models.CheckConstraint(condition=models.Q(models.Q(('cause', 'minimum'), ('section', None)), models.Q(('cause__in', ['accepted', 'correction']), ('section__isnull', False)), _connector='OR'), name='charge_is_of_a_section_or_the_minimum')],
            },
        ),
        append_only("events_feecharge"),
    ]
