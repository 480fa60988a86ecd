from django.urls import path

from ratings.home.views import feeds, search

urlpatterns = [
    path("search/", search.search, name="search"),
    # The first is the URL of version 1.0, for pages that were open during an upgrade.
    path("players/suggestions/", search.suggest, name="suggest"),
    path("search/suggestions/", search.suggest, name="suggest"),
    path("search/ids.csv", search.search_file, name="search_file"),
    path("players/<member:member_id>/feed.atom", feeds.member_feed, name="member_feed"),
    path("feeds/events.atom", feeds.events, name="events_feed"),
    path("feeds/events/<str:state>.atom", feeds.events, name="state_feed"),
    path("feeds/corrections.atom", feeds.correction_feed, name="corrections_feed"),
    path("feeds/laboratory.atom", feeds.laboratory, name="laboratory_feed"),
]
