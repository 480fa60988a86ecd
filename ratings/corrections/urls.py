from django.urls import path

from ratings.corrections import views

urlpatterns = [
    path("office/corrections/<int:pk>/effect/", views.effect, name="correction_effect"),
]
