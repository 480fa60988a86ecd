from django.urls import path

from ratings.home.views import feeds

urlpatterns = [
    path("players/<member:member_id>/feed.atom", feeds.of_member, name="member_feed"),
    path("feeds/events.atom", feeds.events, name="events_feed"),
    path("feeds/events/<str:state>.atom", feeds.events, name="state_feed"),
    path("feeds/corrections.atom", feeds.corrected, name="corrections_feed"),
    path("feeds/laboratory.atom", feeds.laboratory, name="laboratory_feed"),
]
