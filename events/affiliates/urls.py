from django.urls import path

from events.affiliates.views import AskTdList

urlpatterns = [
    path("affiliates/<str:affiliate_id>/tds/", AskTdList.as_view(), name="ask_td_list")
]
