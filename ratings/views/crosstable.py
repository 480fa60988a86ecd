from django.http import HttpResponse


def __getattr__(name):
    def stub(request, **kwargs):
        return HttpResponse(name)

    return stub
