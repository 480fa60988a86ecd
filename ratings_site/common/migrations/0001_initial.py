import django.contrib.auth.models
import django.contrib.auth.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('username', models.CharField(error_messages={'unique': 'A user with that username already exists.'}, help_text='Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.', max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator()], verbose_name='username')),
                ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                ('email', models.EmailField(blank=True, max_length=254, verbose_name='email address')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('language', models.CharField(blank=True, db_default='', help_text="Of notices and e-mails, such as en; blank is the office's own.", max_length=10)),
                ('unread_notices', models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'verbose_name': 'user',
                'verbose_name_plural': 'users',
                'abstract': False,
            },
            managers=[
                ('objects', django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name='PendingAct',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=60)),
                ('title', models.CharField(max_length=200)),
                ('url', models.CharField(blank=True, max_length=200)),
                ('payload', models.JSONField(default=dict)),
                ('reason', models.TextField()),
                ('status', models.CharField(choices=[('waiting', 'Waits for a second person'), ('approved', 'Approved'), ('refused', 'Refused'), ('withdrawn', 'Withdrawn')], default='waiting', max_length=10)),
                ('proposed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('proposed_at', models.DateTimeField(auto_now_add=True)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('decision_reason', models.TextField(blank=True)),
            ],
            options={
                'ordering': ['status', '-pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(('status__in', ['waiting', 'approved', 'refused', 'withdrawn'])), name='pending_act_status_is_known'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='pending_act_has_a_reason'), models.CheckConstraint(condition=models.Q(models.Q(('status__in', ['approved', 'refused']), _negated=True), ('decided_by__isnull', False), _connector='OR'), name='decided_act_names_who_decided'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'approved'), _negated=True), models.Q(('decided_by', models.F('proposed_by')), _negated=True), _connector='OR'), name='nobody_approves_his_own_act', violation_error_message='A second person has to approve this.')],
            },
        ),
        migrations.CreateModel(
            name='ApiKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_keys', to=settings.AUTH_USER_MODEL)),
                ('name', models.CharField(max_length=60)),
                ('prefix', models.CharField(max_length=16)),
                ('digest', models.CharField(max_length=64)),
                ('may_submit', models.BooleanField(default=False)),
                ('daily_quota', models.PositiveIntegerField(help_text='Requests in a day (UTC).')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('last_used_on', models.DateField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'verbose_name': 'API key',
                'ordering': ['-pk'],
                'constraints': [models.UniqueConstraint(fields=('digest',), name='api_key_is_known_once'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='api_key_says_what_it_is_for')],
            },
        ),
        migrations.CreateModel(
            name='ApiUse',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('who', models.CharField(max_length=48)),
                ('requests', models.PositiveIntegerField(default=0)),
            ],
            options={
                'verbose_name': 'API use',
                'ordering': ['-day', 'who'],
                'constraints': [models.UniqueConstraint(fields=('day', 'who'), name='one_count_of_requests_a_day')],
            },
        ),
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('actor', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('action', models.CharField(max_length=60)),
                ('subject_type', models.CharField(max_length=60)),
                ('subject_id', models.CharField(max_length=40)),
                ('subject_name', models.CharField(max_length=200)),
                ('reason', models.TextField(blank=True)),
                ('facts', models.JSONField(blank=True, default=dict)),
                ('request_id', models.CharField(blank=True, max_length=40)),
            ],
            options={
                'verbose_name_plural': 'audit entries',
                'ordering': ['-pk'],
                'indexes': [models.Index(fields=['subject_type', 'subject_id'], name='audit_subject'), models.Index(fields=['action', 'id'], name='audit_action', opclasses=['varchar_pattern_ops', 'int8_ops']), models.Index(fields=['at'], name='audit_at')],
            },
        ),
        migrations.CreateModel(
            name='Job',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=60)),
                ('key', models.CharField(max_length=100)),
                ('args', models.JSONField(default=dict)),
                ('state', models.CharField(choices=[('queued', 'Waiting'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed')], default='queued', max_length=10)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('done_steps', models.PositiveIntegerField(default=0)),
                ('total_steps', models.PositiveIntegerField(default=0)),
                ('message', models.TextField(blank=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('run_after', models.DateTimeField()),
                ('sent_at', models.DateTimeField(null=True)),
                ('heartbeat_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['-pk'],
                'permissions': [('retry_job', 'Can queue failed work again')],
                'indexes': [models.Index(condition=models.Q(('state__in', ['queued', 'running'])), fields=['state', 'run_after'], name='open_jobs'), models.Index(fields=['kind', 'key'], name='jobs_of_a_key'), models.Index(fields=['state', 'finished_at'], name='jobs_by_state')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state__in', ['queued', 'running'])), fields=('kind', 'key'), name='one_open_job_per_kind_and_key', violation_error_message='This work is already waiting or running.'), models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'running', 'done', 'failed'])), name='job_state_is_known')],
            },
        ),
        migrations.CreateModel(
            name='Notice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notices', to=settings.AUTH_USER_MODEL)),
                ('kind', models.CharField(max_length=60)),
                ('key', models.CharField(max_length=120)),
                ('title', models.CharField(max_length=200)),
                ('text', models.TextField(blank=True)),
                ('url', models.CharField(max_length=200)),
                ('on_site', models.BooleanField(default=True)),
                ('batch', models.CharField(blank=True, max_length=40)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('read_at', models.DateTimeField(blank=True, null=True)),
                ('mailed_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-pk'],
                'indexes': [models.Index(condition=models.Q(('on_site', True), ('read_at', None)), fields=['account'], name='unread_notices'), models.Index(condition=models.Q(('batch', ''), _negated=True), fields=['batch'], name='notices_to_mail')],
                'constraints': [models.UniqueConstraint(fields=('account', 'key'), name='nobody_is_told_the_same_twice'), models.CheckConstraint(condition=models.Q(('title', ''), _negated=True), name='notice_says_something')],
            },
        ),
        migrations.CreateModel(
            name='NoticeSetting',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notice_settings', to=settings.AUTH_USER_MODEL)),
                ('kind', models.CharField(max_length=60)),
                ('channel', models.CharField(choices=[('site', 'On the site'), ('mail', 'By e-mail')], max_length=4)),
                ('is_on', models.BooleanField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('account', 'kind', 'channel'), name='one_notice_setting_per_kind_and_channel'), models.CheckConstraint(condition=models.Q(('channel__in', ['site', 'mail'])), name='notice_channel_is_known')],
            },
        ),
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to=settings.AUTH_USER_MODEL)),
                ('url', models.CharField(max_length=500, verbose_name='address')),
                ('kinds', models.JSONField(default=list)),
                ('salt', models.CharField(max_length=40)),
                ('is_active', models.BooleanField(default=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('failing_since', models.DateTimeField(blank=True, null=True)),
                ('switched_off_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('owner', 'url'), name='one_webhook_per_account_and_address', violation_error_message='You have a webhook for this address.')],
            },
        ),
        migrations.CreateModel(
            name='WebhookDelivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('webhook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='common.webhook')),
                ('message_id', models.CharField(max_length=40, unique=True)),
                ('kind', models.CharField(max_length=40)),
                ('body', models.TextField()),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('delivered', 'Delivered'), ('given_up', 'Given up')], default='waiting', max_length=10)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('status', models.PositiveSmallIntegerField(blank=True, help_text='The HTTP status of the last answer.', null=True)),
                ('answer', models.CharField(blank=True, help_text='How the last answer or fault began.', max_length=500)),
                ('created_at', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('tried_at', models.DateTimeField(blank=True, null=True)),
                ('next_try_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'verbose_name_plural': 'webhook deliveries',
                'ordering': ['-pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'delivered', 'given_up'])), name='delivery_state_is_known')],
            },
        ),
    ]
