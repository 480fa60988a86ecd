from django.urls import path

from ratings.pages.estimator import views

urlpatterns = [
    path("estimate/", views.estimate, name="estimate"),
    path("estimate/target/", views.target, name="estimate_target"),
    path("estimate/section/", views.section, name="estimate_section"),
]
