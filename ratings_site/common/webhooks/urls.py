from django.urls import path

from ratings_site.common.webhooks import views as webhooks

app_name = "webhooks"

urlpatterns = [
    path("", webhooks.Webhooks.as_view(), name="webhooks"),
    path("<int:pk>/", webhooks.webhook, name="webhook"),
    path("<int:pk>/delete/", webhooks.delete, name="delete"),
    path("<int:pk>/<slug:act>/", webhooks.act, name="act"),
    path("<int:pk>/messages/<int:delivery_pk>/", webhooks.delivery, name="delivery"),
]
