"""The style of a page; colours only by variables, so that light and dark differ in those alone."""

__all__ = ["STYLE"]

from sparktune.report.svg.palette import DARK, LIGHT, rules, variables

_MOST_HEADS = 12
_HEADS = "".join(
    f".stack td:nth-child({at})::before{{content:var(--h{at},'') ': '}}" for at in range(1, _MOST_HEADS + 1)
)
"""On a phone a row of many columns is a list: each value behind its head, which the table has as a variable."""
_RULES = """
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--ink);font-variant-numeric:tabular-nums;
font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',sans-serif}
main{max-width:862px;margin:0 auto;padding:24px 20px 48px}
h1{font-size:15px;font-weight:600;color:var(--muted);margin:0 0 12px;overflow-wrap:anywhere}
h2{font-size:20px;line-height:1.3;margin:0 0 4px}
h3{font-size:15px;margin:18px 0 4px}
p{margin:6px 0}
a{color:var(--b)}
code,pre{font-family:ui-monospace,'SF Mono',Menlo,'DejaVu Sans Mono',monospace;font-size:13px}
pre,code{overflow-wrap:anywhere;white-space:pre-wrap;margin:0}
section,header.card{background:var(--surface);border:1px solid var(--line);border-radius:10px;
padding:18px 20px;margin:0 0 16px}
.lead{font-size:18px;line-height:1.45;margin:8px 0 0;overflow-wrap:anywhere}
.badge{display:inline-flex;align-items:center;gap:8px;font-weight:700;font-size:22px;
letter-spacing:.01em;padding:2px 14px 3px;border-radius:8px;border:2px solid currentColor}
.ok{color:var(--ok)}.warn{color:var(--warn)}.bad{color:var(--bad)}.muted{color:var(--muted)}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(178px,1fr));gap:10px 18px;margin:16px 0 0}
.facts div{border-top:2px solid var(--line);padding-top:5px}
.facts dt{color:var(--muted);font-size:13px}
.facts dd{margin:0;font-weight:600;font-size:15px;overflow-wrap:anywhere}
.facts .big{font-size:17px;line-height:1.4}
dl{margin:0}
ul{margin:8px 0 0;padding-left:20px}
li{margin:3px 0;overflow-wrap:anywhere}
figure{margin:12px 0 0}
figcaption,.small{color:var(--muted);font-size:14px}
figcaption{margin-top:6px}
.scroll{overflow-x:auto;margin:10px 0 0;background:
linear-gradient(90deg,var(--surface) 40%,transparent) 0 0/30px 100% no-repeat local,
linear-gradient(270deg,var(--surface) 40%,transparent) 100% 0/30px 100% no-repeat local,
linear-gradient(90deg,var(--line),transparent) 0 0/10px 100% no-repeat scroll,
linear-gradient(270deg,var(--line),transparent) 100% 0/10px 100% no-repeat scroll}
.scroll:focus-visible{outline:2px solid var(--b);outline-offset:2px}
svg{display:block;max-width:none;height:auto}
.narrow{display:none}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{text-align:left;vertical-align:top;padding:6px 12px 6px 0;border-bottom:1px solid var(--grid)}
th{color:var(--muted);font-weight:600}
td.n,th.n{text-align:right}
td,.q{white-space:nowrap}
td.w{white-space:normal;min-width:120px;overflow-wrap:anywhere}
tr:last-child td{border-bottom:0}
details{margin-top:12px}
summary{cursor:pointer;font-weight:600;padding:4px 0}
.key{font-weight:600;margin-right:6px}
footer{color:var(--muted);font-size:13px;overflow-wrap:anywhere}
@media (max-width:760px){main{padding:12px 10px 32px}section,header.card{padding:14px 12px}
.wide{display:none}.narrow{display:block}.lead{font-size:17px}
.facts{grid-template-columns:repeat(2,1fr);gap:10px 14px}.facts .big{font-size:15.5px}
.stack thead{display:none}.stack tr{display:block;padding:8px 0;border-bottom:1px solid var(--grid)}
.stack td,.stack td.n{display:block;text-align:left;white-space:normal;min-width:0;padding:0;border:0}
.stack td:empty{display:none}.stack td::before{color:var(--muted)}{_HEADS}
.stack td:first-child{font-weight:600}.stack tr:last-child{border:0}}
@media print{body{background:#fff}section,header.card{break-inside:avoid}}
"""
STYLE = (
    f":root{{color-scheme:light dark;{variables(LIGHT)}}}"
    f"@media (prefers-color-scheme:dark){{:root{{{variables(DARK)}}}}}"
    f"{_RULES.replace('{_HEADS}', _HEADS)}{rules()}"
)
"""The whole style of a page with pictures."""
