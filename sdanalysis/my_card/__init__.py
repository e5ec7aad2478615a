"""One reader's logs -> the answer to "where does my card stand?", as text, JSON and a page.

`gather` reads the logs without loading a numeric library, `answer` compares, `document` puts the
answer into plain words and numbers, `text` and `page` lay those out. Nothing is sent anywhere.
"""
