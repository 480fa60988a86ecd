import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Player',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('member_id', models.CharField(max_length=8, unique=True, validators=[django.core.validators.RegexValidator('^[1-9][0-9]{7}$', 'A member ID has eight digits and does not begin with 0.')], verbose_name='member ID')),
                ('given_name', models.CharField(max_length=60)),
                ('family_name', models.CharField(max_length=60)),
                ('suffix', models.CharField(blank=True, max_length=10)),
                ('birth_date', models.DateField(blank=True, null=True)),
                ('gender', models.CharField(blank=True, choices=[('F', 'Female'), ('M', 'Male')], help_text='For the rankings of women; shown to staff only.', max_length=1)),
                ('state', models.CharField(blank=True, max_length=2)),
                ('residence', models.CharField(default='USA', help_text='Country of residence, such as USA.', max_length=3)),
                ('federation', models.CharField(blank=True, help_text='FIDE flag, such as USA.', max_length=3)),
                ('fide_id', models.CharField(blank=True, db_index=True, max_length=10, null=True, validators=[django.core.validators.RegexValidator('^[1-9][0-9]{0,9}\\Z', 'A FIDE ID has up to ten digits and does not begin with 0.')], verbose_name='FIDE ID')),
                ('status', models.CharField(choices=[('active', 'Active'), ('inactive', 'Not active'), ('deceased', 'Deceased'), ('duplicate', 'Duplicate of another member'), ('suspended', 'Suspended'), ('revoked', 'Membership revoked')], default='active', max_length=12)),
                ('merged_into', models.ForeignKey(blank=True, help_text='The member whose record goes on, if this one is a duplicate.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='duplicates', to='players.player')),
                ('account', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='player', to=settings.AUTH_USER_MODEL)),
                ('search_name', models.CharField(db_index=True, editable=False, max_length=140)),
                ('search_given', models.CharField(db_index=True, editable=False, max_length=140)),
                ('search_sound', models.CharField(db_default='', db_index=True, editable=False, max_length=140)),
            ],
            options={
                'ordering': ['search_name', 'member_id'],
                'permissions': [('merge_players', 'Can merge two members, and undo it'), ('link_fide_id', 'Can link members to FIDE IDs'), ('change_status', 'Can change the status of a member')],
                'constraints': [models.UniqueConstraint(fields=('fide_id',), name='fide_id_belongs_to_one_member', violation_error_message='Another member has this FIDE ID.'), models.CheckConstraint(condition=models.Q(('member_id__regex', '^[1-9][0-9]{7}$')), name='member_id_is_eight_digits', violation_error_message='A member ID has eight digits.'), models.CheckConstraint(condition=models.Q(('status__in', ['active', 'inactive', 'deceased', 'duplicate', 'suspended', 'revoked'])), name='player_status_is_known'), models.CheckConstraint(condition=models.Q(('gender__in', ['', 'F', 'M'])), name='player_gender_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('merged_into__isnull', False), ('status', 'duplicate')), models.Q(models.Q(('status', 'duplicate'), _negated=True), ('merged_into__isnull', True)), _connector='OR'), name='duplicate_names_the_member_it_duplicates', violation_error_message='A duplicate is made by merging two members.'), models.CheckConstraint(condition=models.Q(('merged_into__isnull', True), models.Q(('merged_into', models.F('pk')), _negated=True), _connector='OR'), name='nobody_is_merged_into_himself')],
            },
        ),
        migrations.CreateModel(
            name='FideList',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('list_date', models.DateField(help_text='The day from which the list is in force.')),
                ('state', models.CharField(choices=[('loading', 'Being read'), ('current', 'In force'), ('stored', 'Stored'), ('refused', 'Refused')], default='loading', max_length=10)),
                ('file_name', models.CharField(max_length=200)),
                ('stored_as', models.CharField(help_text='Path below DATA_DIR.', max_length=200)),
                ('sha256', models.CharField(max_length=64)),
                ('size', models.PositiveBigIntegerField(help_text='Bytes of the file as received.')),
                ('layout', models.CharField(blank=True, max_length=40)),
                ('allow_older', models.BooleanField(default=False)),
                ('allow_smaller', models.BooleanField(default=False)),
                ('reason', models.TextField(blank=True)),
                ('received_at', models.DateTimeField(auto_now_add=True)),
                ('received_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('previous', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='players.fidelist')),
                ('items_read', models.PositiveIntegerField(default=0)),
                ('compared_to', models.BigIntegerField(default=0)),
                ('rows', models.PositiveIntegerField(default=0)),
                ('rated', models.PositiveIntegerField(default=0, help_text='Rows with a rating.')),
                ('unreadable', models.PositiveIntegerField(default=0)),
                ('changed', models.PositiveIntegerField(default=0, help_text='Players whose entry differs from the list before.')),
                ('members', models.PositiveIntegerField(default=0, help_text='Members whose FIDE ratings the list changed.')),
                ('findings', models.JSONField(blank=True, default=list)),
            ],
            options={
                'verbose_name': 'FIDE list',
                'ordering': ['-list_date', '-pk'],
                'permissions': [('import_fide_list', 'Can import FIDE lists')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'refused'), _negated=True), fields=('list_date',), name='one_fide_list_a_month', violation_error_message='The list of this month is here already.'), models.UniqueConstraint(condition=models.Q(('state__in', ['loading', 'current'])), fields=('state',), name='one_fide_list_is_read_and_one_in_force', violation_error_message='Another list is being read.'), models.CheckConstraint(condition=models.Q(('state__in', ['loading', 'current', 'stored', 'refused'])), name='fide_list_state_is_known'), models.CheckConstraint(condition=models.Q(('list_date__day', 1)), name='fide_list_begins_a_month', violation_error_message='A FIDE list begins on the 1st of a month.'), models.CheckConstraint(condition=models.Q(('rated__lte', models.F('rows'))), name='fide_list_rates_no_more_than_it_names')],
            },
        ),
        migrations.CreateModel(
            name='ExternalRating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='external_ratings', to='players.player')),
                ('body', models.CharField(choices=[('FIDE', 'FIDE standard'), ('CFC', 'CFC regular')], max_length=4)),
                ('list_date', models.DateField(help_text='The day from which this value was in force.')),
                ('rating', models.PositiveIntegerField()),
                ('games', models.PositiveIntegerField(blank=True, null=True)),
                ('source', models.CharField(blank=True, max_length=200)),
                ('fide_list', models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='players.fidelist')),
            ],
            options={
                'ordering': ['body', '-list_date'],
                'constraints': [models.UniqueConstraint(fields=('player', 'body', 'list_date'), name='one_external_rating_per_body_and_list', violation_error_message='There is a rating of this list already.'), models.CheckConstraint(condition=models.Q(('body__in', ['FIDE', 'CFC'])), name='external_body_is_known'), models.CheckConstraint(condition=models.Q(('rating__gte', 1), ('rating__lte', 3500)), name='external_rating_is_plausible', violation_error_message='A FIDE or CFC rating is between 1 and 3500.')],
            },
        ),
        migrations.CreateModel(
            name='FidePlayer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('list', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='players', to='players.fidelist')),
                ('fide_id', models.BigIntegerField(verbose_name='FIDE ID')),
                ('name', models.CharField(blank=True, max_length=80)),
                ('search_name', models.CharField(blank=True, max_length=100)),
                ('federation', models.CharField(blank=True, max_length=3)),
                ('sex', models.CharField(blank=True, max_length=1)),
                ('title', models.CharField(blank=True, max_length=3)),
                ('birth_year', models.PositiveSmallIntegerField(null=True)),
                ('inactive', models.BooleanField(default=False)),
                ('rating', models.PositiveSmallIntegerField(null=True)),
                ('games', models.PositiveSmallIntegerField(default=0)),
                ('k', models.PositiveSmallIntegerField(null=True)),
                ('rapid', models.PositiveSmallIntegerField(null=True)),
                ('rapid_games', models.PositiveSmallIntegerField(default=0)),
                ('blitz', models.PositiveSmallIntegerField(null=True)),
                ('blitz_games', models.PositiveSmallIntegerField(default=0)),
            ],
            options={
                'verbose_name': 'FIDE player',
                'indexes': [models.Index(fields=['list', 'search_name'], name='fide_player_name')],
                'constraints': [models.UniqueConstraint(fields=('list', 'fide_id'), name='fide_id_once_per_list', violation_error_message='This FIDE ID is already in the list.')],
            },
        ),
        migrations.CreateModel(
            name='FideRating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('fide_id', models.BigIntegerField(verbose_name='FIDE ID')),
                ('list', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='changes', to='players.fidelist')),
                ('rating', models.PositiveSmallIntegerField(null=True)),
                ('games', models.PositiveSmallIntegerField(default=0)),
                ('k', models.PositiveSmallIntegerField(null=True)),
                ('federation', models.CharField(blank=True, max_length=3)),
                ('title', models.CharField(blank=True, max_length=3)),
                ('inactive', models.BooleanField(default=False)),
            ],
            options={
                'verbose_name': 'FIDE rating',
                'constraints': [models.UniqueConstraint(fields=('fide_id', 'list'), name='one_fide_standing_per_list')],
            },
        ),
        migrations.CreateModel(
            name='FideLinkRefusal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='players.player')),
                ('fide_id', models.BigIntegerField(verbose_name='FIDE ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('reason', models.TextField()),
            ],
            options={
                'verbose_name': 'FIDE ID of somebody else',
                'verbose_name_plural': 'FIDE IDs of somebody else',
                'ordering': ['-pk'],
                'constraints': [models.UniqueConstraint(fields=('player', 'fide_id'), name='fide_id_is_declined_once_per_member', violation_error_message='This FIDE ID has been declined already.'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='declined_fide_id_has_a_reason')],
            },
        ),
        migrations.CreateModel(
            name='Guardian',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('player', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='guardian', to='players.player')),
                ('email', models.EmailField(max_length=254, verbose_name='guardian’s e-mail')),
                ('stated_at', models.DateTimeField(auto_now=True)),
            ],
        ),
        migrations.CreateModel(
            name='MembershipType',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=40, unique=True)),
                ('is_adult', models.BooleanField(default=False, help_text='Only an adult can hold it. An unrated holder without a birth date starts at 1300 instead of 750.')),
            ],
            options={
                'ordering': ['name'],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='players.player')),
                ('type', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to='players.membershiptype')),
                ('starts', models.DateField()),
                ('expires', models.DateField()),
            ],
            options={
                'ordering': ['-expires'],
                'constraints': [models.CheckConstraint(condition=models.Q(('expires__gte', models.F('starts'))), name='membership_ends_after_it_starts', violation_error_message='A membership cannot end before it starts.')],
            },
        ),
        migrations.CreateModel(
            name='PlayerMerge',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kept', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='merges', to='players.player')),
                ('merged', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='merges_into_others', to='players.player')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('reason', models.TextField()),
                ('moved', models.JSONField(default=dict)),
                ('undone_at', models.DateTimeField(blank=True, null=True)),
                ('undone_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('undo_reason', models.TextField(blank=True)),
            ],
            options={
                'ordering': ['-pk'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('undone_at', None)), fields=('merged',), name='a_number_is_merged_once_at_a_time', violation_error_message='This member is merged already.'), models.CheckConstraint(condition=models.Q(('kept', models.F('merged')), _negated=True), name='merge_joins_two_numbers'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='merge_has_a_reason'), models.CheckConstraint(condition=models.Q(models.Q(('undo_reason', ''), ('undone_at', None), ('undone_by', None)), models.Q(('undone_at__isnull', False), ('undone_by__isnull', False), models.Q(('undo_reason', ''), _negated=True)), _connector='OR'), name='undone_merge_says_when_who_and_why')],
            },
        ),
        migrations.CreateModel(
            name='NotSamePerson',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('first', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='players.player')),
                ('second', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='players.player')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('reason', models.TextField()),
            ],
            options={
                'verbose_name_plural': 'not the same person',
                'ordering': ['-pk'],
                'constraints': [models.UniqueConstraint(fields=('first', 'second'), name='a_pair_is_told_apart_once', violation_error_message='These two have been told apart already.'), models.CheckConstraint(condition=models.Q(('first__lt', models.F('second'))), name='a_pair_told_apart_begins_with_the_older_record'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='telling_apart_has_a_reason')],
            },
        ),
        migrations.CreateModel(
            name='FideOptIn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='fide_opt_ins', to='players.player')),
                ('opted_in_on', models.DateField()),
                ('entered_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('by_staff', models.BooleanField(default=False)),
                ('note', models.CharField(blank=True, max_length=200)),
                ('opt_out_asked_on', models.DateField(blank=True, null=True)),
                ('opt_out_wish', models.CharField(blank=True, max_length=200)),
                ('opted_out_on', models.DateField(blank=True, null=True)),
                ('opt_out_approved_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('opt_out_reason', models.TextField(blank=True)),
            ],
            options={
                'verbose_name': 'FIDE opt-in',
                'ordering': ['-pk'],
                'permissions': [('enter_opt_in', 'Can enter that a member opts in'), ('approve_opt_out', 'Can approve that a member opts out')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('opted_out_on', None)), fields=('player',), name='one_open_opt_in_per_member', violation_error_message='This member has opted in already.'), models.CheckConstraint(condition=models.Q(models.Q(('opt_out_approved_by', None), ('opt_out_reason', ''), ('opted_out_on', None)), models.Q(('opt_out_approved_by__isnull', False), ('opted_out_on__isnull', False), models.Q(('opt_out_reason', ''), _negated=True)), _connector='OR'), name='opt_out_is_approved_with_a_reason', violation_error_message='Opting out needs the Executive Director.'), models.CheckConstraint(condition=models.Q(('opted_out_on', None), ('opted_out_on__gte', models.F('opted_in_on')), _connector='OR'), name='opt_out_comes_after_the_opt_in', violation_error_message='Nobody opts out before opting in.')],
            },
        ),
    ]
