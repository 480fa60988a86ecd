from django.urls import path

from ratings_site.common.jobs import views

urlpatterns = [
    path("jobs/", views.jobs, name="jobs"),
    path("jobs/<int:pk>/progress/", views.progress, name="job_progress"),
    path("jobs/<int:pk>/again/", views.retry_job, name="retry_job"),
]
