"""A configuration is described and travels as the text it is (interface 4.5: "raw YAML"), comments and all.
Schemathesis would write and read the data that the YAML means."""

import schemathesis
from schemathesis.core import media_types

media_types.is_yaml = lambda _media_type: False

# Schemathesis asks the first name that is of the same family as the name in the document, so all names are registered
# here.
names = ["text/yaml", "text/x-yaml", "text/vnd.yaml", "text/yml", "application/yaml", "application/x-yaml"]


@schemathesis.serializer(*names)
def write_text(_context, value):
    return str(value).encode()


@schemathesis.deserializer(*names)
def read_text(_context, response):
    return response.content.decode()


@schemathesis.hook
def filter_body(context, body):
    """If the body is a text, a value that is not a text would be sent as a text and be accepted: `{}` is an empty configuration."""
    operation = context.operation
    is_text = operation is not None and any(body.media_type in names for body in operation.body)
    return not is_text or isinstance(body, str)
