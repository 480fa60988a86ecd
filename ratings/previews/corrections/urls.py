from django.urls import path

from ratings.previews.corrections import views

urlpatterns = [
    path("office/corrections/<int:pk>/effect/", views.effect, name="correction_effect")
]
