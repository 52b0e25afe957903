#!/usr/bin/env python3
"""Writes sample.har, the recording that lets Patchbay run without a network.

    python3 Recordings/make-sample.py            write Recordings/sample.har
    python3 Recordings/make-sample.py --check    exit 1 when the file differs from what would be written

The recording is HAR 1.2 with one exchange a line, in the shapes of GitHub's REST API:

    GET /users?per_page=30     four pages in ascending id order, linked by rel="next"
    GET /users/LOGIN           the detail of each of the 100 users and 4 organisations
    GET /users/OLD-LOGIN       301 to /user/ID, for the user who was renamed
    GET /user/ID               that user's detail
    GET /users/MISSING         404
    GET /users/LOGIN           one detail a second time, changed
    GET /users/OWNER/repos     the 23 repositories of one owner
    GET /repos/OWNER/NAME      the detail of each of them
    GET /repos/OWNER/NAME/commits    the commits of each; 409 for the one that is empty
    GET /users/LOGIN/repos     a few repositories of four others, and their details and commits
    GET /search/users?q=TEXT   the users whose login begins with TEXT: the first letter or word of a login
    GET /rate_limit            the limits
    GET https://avatars.github.example.org/u/ID    the pictures of the owner and one other

All persons are invented, and so is their server, api.github.example.org: a name that nobody can have (RFC 2606), so
that what was recorded is never taken for the data of github.com. Mail and blog addresses are under example.org, and
the ids lie above 900000000. The same script writes the same bytes everywhere: every figure comes from SHA-256 of SEED and
the login it belongs to, so a new person leaves the others' details as they are. No clock is read.
Needs Python 3.9 and nothing else.
"""

import argparse
import base64
import hashlib
import json
import re
import sys
import unicodedata
import zlib
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path
from typing import NamedTuple, Optional

FILE = Path(__file__).resolve().parent / "sample.har"
FILE_BYTES_MAX = 950_000
SERVER = "github.example.org"
API = f"https://api.{SERVER}"
SEED = "patchbay sample 1"
FIRST_ID = 900_000_017
PAGE_ROWS = 30

RECORDED_AT = datetime(2026, 10, 1, 9, 0, 0, tzinfo=timezone.utc)
SECOND_VISIT_AT = RECORDED_AT + timedelta(minutes=30)
RATE_LIMIT = 5000
RATE_RESET_AT = RECORDED_AT + timedelta(minutes=58, seconds=20)

RENAMED_FROM = "Tessaline-Oldmoor"
RENAMED_TO = "Tessaline-Fenwater"
MISSING = "nobody-at-quernwick"
REPEATED = "Ottoline-Brack"
OWNER = "Marlow-Quern"
PICTURED = [OWNER, "Ottoline-Brack"]
# Who else has repositories, and how many.
OTHER_OWNERS = {"Ottoline-Brack": 3, "Quernwick-Ferries": 4, "Escapement-Ada": 2, "iskra-tumannaya": 2}
EMPTY_REPOSITORY = "blank-logbook"
FIRST_REPOSITORY_ID = 900_500_003
STAFF = {"Marlow-Quern", "Bramwick4", "iskra-tumannaya", "Pelle-Sjobrand", "hollis-wexmoor"}
ORGANISATIONS = {"Quernwick-Ferries", "Quaylantern-Labs", "Fennelwort-Press", "northreach-survey9"}

ZWJ = "\u200d"
ESCAPE = "\u001b"


def decomposed(text):
    """The text with each accent as a combining mark of its own, whatever an editor made of this file."""
    return unicodedata.normalize("NFD", text)


# Login and name, in the order of the ids.
PEOPLE = [
    ("Marlow-Quern", "Marlow Quernwick"),
    ("iskra-tumannaya", "Искра Туманная"),
    ("Quernwick-Ferries", "Quernwick Ferries"),
    ("Ottoline-Brack", "Ottoline Brackwater"),
    ("thaleia-astro7", "Θάλεια Αστροφεγγίδου"),
    ("Bramwick4", "Bram Wickenfold"),
    ("layan-bahr-aldaw", "ليان بحر الضوء"),
    ("hotaru-hoshikuzu", "星屑 ほたる"),
    ("plainfold-22", None),
    ("Marrowfen", "Nell Marrowfen"),
    ("zoe-stastnabrook", decomposed("Zoë Šťastnábrook")),
    ("tamar-galei", "תמר גלי־שחר"),
    ("yunjian-yue", "云间月"),
    ("Pelle-Sjobrand", "Pelle Sjöbränd"),
    ("meera-tarapath", "मीरा तारापथ"),
    ("gorae-moonwell", "달빛 고래"),
    ("Tessaline-Fenwater", "Tessaline Fenwater"),
    ("pim-of-the-lamps", f"Pim \U0001F469{ZWJ}\U0001F52C of the Lamps"),
    ("4tuna-quay", "Fortuna Quayle-Ostrander"),
    ("MARZIPAN-7713", "Marzipan Thistledown"),
    ("ipek-yildizsuyu", "İpek Yıldızsuyu"),
    ("hollis-wexmoor", "Hollis Wexmoor"),
    ("lichen-and-larch", None),
    ("Weissenlaub", "Jörg Weißenlaub-Straßner"),
    ("bo-larkspurling", 'Bo "Buoy" Larkspurling'),
    ("miron-tumanov3", "Мирон Светлоборский"),
    ("Quillhester", "Quill, Hester"),
    ("Quaylantern-Labs", "Quaylantern Labs"),
    ("zolwia-laka", "Żółwia Łąka"),
    ("Escapement-Ada", "Adabel Escapement"),
    ("marit-holmsundet", "Marit Holmsundet"),
    ("tidegauge-55", "Corvin Tidegauge"),
    ("SaffyOrmsbeck", "Saffron Ormsbeck"),
    ("thordis-aedeyjar", "Þórdís Æðeyjar"),
    ("uri-even-yareach", "אורי אבן־ירח"),
    ("kern-and-serif", "Lorrimer Kernaghast"),
    ("noor-alramla", "نور قمر الرمل"),
    ("Windlestraw-Aldis", "Agnes Windlestraw"),
    ("han-byeol-sand", "한별 은모래"),
    ("drop-tabitha", "Tabitha Dropwort"),
    ("ljiljana-sumska", "Љиљана Шумска"),
    ("Cobblemere-Fitz", "Fitz Cobblemere"),
    ("equals-one-plus", "=1+1"),
    ("le-thuy-sao", "Lệ Thủy Sao"),
    ("brackenhythe", None),
    ("oriel-van-duinzand", "Oriël van 't Duinzand"),
    ("kabir-nadipar", "कबीर नदीपार"),
    ("ScriptoriumPip", "Pip Scriptorium"),
    ("lantern-keepers-of-the-outer-sandbank-9", "The Keeper of the Lantern on the Outer Sandbank, "
     "Who Signs with a Name as Long as the Winter Nights Are There and Means Every Word of It"),
    ("lin-zhong-lu", "林中鹿"),
    ("Fennelwort-Press", "Fennelwort Press"),
    ("nino-varskvlavi", "ნინო ვარსკვლავაძე"),
    ("Dunmarrow-Kit", "Kit Dunmarrow"),
    ("wu-li-deng", "霧裡燈"),
    ("90417736205", "Nine-Oh-Four"),
    ("fasai-daotale", "ฟ้าใส ดาวทะเล"),
    ("Ravensgarth-Ivo", "Ivo Ravensgarth"),
    ("famille-du-phare7", f"Famille Phare \U0001F468{ZWJ}\U0001F469{ZWJ}\U0001F467{ZWJ}\U0001F466"),
    ("ion-kymatakis", "Ίων Κυματολόγος"),
    ("Sedgewhistle", "Rowan Sedgewhistle"),
    ("mio-yoshiboshi", "𠮷星 みお"),
    ("tam-osierbank", "Tam O'Sierbank"),
    ("clarabel-inkhorn", "Clarabel Inkhorn"),
    ("yizhak-verbovy", "Їжак Вербовий"),
    ("Gantry-Moss", None),
    ("nila-kadaloram", "நிலா கடலோரம்"),
    ("Ebbhollow-Jude", "Jude Ebbhollow"),
    ("elodie-brumevent", "Élodie Brumevent"),
    ("back-slash-basil", "Basil Backslash"),
    ("Orrin-Saltmarshe", "Orrin Saltmarshe"),
    ("vega-estrellarrio", "Begoña Estrellarrío"),
    ("paddock-and-pine", "Wren Paddockpine"),
    ("CirrusVanewright", "Cirrus Vanewright"),
    ("amina-najmbahr", "أمينة نجم البحر"),
    ("thimblewick-3", "Dorcas Thimblewick"),
    ("northreach-survey9", "Northreach Survey"),
    ("mari-kuerun", "クエルン・マリ"),
    ("HeronsgateLew", "Lew Heronsgate"),
    ("zlata-svetlobor", "Злата Светлобор"),
    ("rune-fjellvatnet", "Rune Fjellvåtnet"),
    ("aoife-cloudstrand", "Aoife Cloudstrand"),
    ("Umberfold-61", None),
    ("capstan-the-vi", "Capstan Ⅵ"),
    ("shira-kochavyam", "שירה כוכב־ים"),
    ("isla-penumbrel", "Isla Penumbrel \U0001F30A"),
    ("Jorvald-Eik", "Jorvald Eikeskog"),
    ("tanvi-megharang", "तन्वी मेघरंग"),
    ("Oxbow-Senna", "Senna Oxbowden"),
    ("dao-guang-ke", "稻光客"),
    ("cassia-duskwharf", "Cássia Duskwharf"),
    ("Nightjar-Holt8", "Hob Nightjarholt"),
    ("wrack-and-rune-dell", "Delphine Wrackley"),
    ("bit-olsaram", "빛올 사람"),
    ("agnieszka-mglista", "Agnieszka Mglistobrzeska"),
    ("VesperKilnworth", "Vesper Kilnworth"),
    ("fin-skerryvale", "Fin Skerryvale"),
    ("kaito-namioto", "波音 かいと"),
    ("Ptarmigan-Zed", "Zed Ptarmigan \U0001F9D1\U0001F3FD" + ZWJ + "\U0001F680"),
    ("lou-estuarine", "Lou Estuarine"),
    ("petra-kamenolist", decomposed("Petra Kamenolišťová")),
    ("Glasswort-Una", "Una Glasswort"),
    ("myrto-thalassofoti", "Μυρτώ Θαλασσόφωτη"),
    ("quarterdeck-null", None),
    ("Zephyrine-Last", "Zéphyrine Lastwater"),
]

# Name, description, language and commits of the owner's repositories, in the order of the names.
REPOSITORIES = [
    ("almanac", "Moonrise and high water for every day of the year.", "Python", 4),
    ("anchor-watch", "Rings a bell when the boat moves.", "C", 3),
    ("beacon", "A lighthouse as a service.", "Swift", 6),
    ("blank-logbook", None, None, 0),
    ("bosun", "Runs chores in order, and says so.", "Go", 2),
    ("buoy-counter", "Counts buoys; off by one on purpose.", "Rust", 3),
    ("chart-fold", "Folds a map so that it opens again.", "Python", 2),
    ("dead-reckoning", "Guesses where we are.", "Haskell", 3),
    ("eddy", "Small loops of water, simulated.", "C++", 2),
    ("ferry-times", "The timetable of all ferries. \U0001F6A2", "Swift", 5),
    ("fog-horn", "A very loud notification.", "Shell", 2),
    ("gangway", "Lets people on board in order.", "Swift", 2),
    ("harbour-master", "Says who may moor where.", "TypeScript", 3),
    ("isobar", "Draws weather; \u201cmostly\u201d right.", "Python", 2),
    ("knots", "Ties and unties; undo included.", "Swift", 2),
    ("lantern", "Blinks: long, long, short.", "C", 2),
    ("mooring", "Holds on.", "Ruby", 1),
    ("night-tide", "\u591c\u306e\u6f6e", "Swift", 2),
    ("oilskin", "Keeps the rest dry.", "CSS", 1),
    ("pilot-book", "What to know before you come in.", None, 2),
    ("quay", "Where things are put down for a moment.", "Swift", 2),
    ("rope-walk", "Long strings, made quickly.", "Rust", 2),
    ("tide-tables", "High and low water, from 1901 on.", "Swift", 4),
]
SUBJECTS = [
    "Begin", "Say what it is for", "Correct the tide at Quernwick", "Make it twice as fast", "Test the leap years",
    "Wrap lines", "Take the wind into account", "Say which boat", "Do not ring at night", "Name the islands",
]

# GitHub cuts a biography off at 160 characters; the long ones here have exactly that many.
BIOS = {
    "Marlow-Quern": "I keep the ferries' timetable and the tide tables in the same repository.",
    "Ottoline-Brack": "Draws maps of places that are under water half of the day.",
    "Quernwick-Ferries": "Timetables, tide tables and the software between them.",
    "Quaylantern-Labs": "Instruments for small harbours. 🔭",
    "Fennelwort-Press": "Books about herbs, printed slowly.",
    "northreach-survey9": None,
    "plainfold-22": "",
    "bo-larkspurling": 'Says "ahoy" and means "hello".\r\nSecond line: it\'s \'quoted\' too.',
    "back-slash-basil": "C:\\tools\\new\\table \\ \\\\share\\basil\\u0041 /etc/motd\ttab",
    "Escapement-Ada": f"Colours the terminal: {ESCAPE}[31mred{ESCAPE}[0m and back again.",
    "ScriptoriumPip": "<script>alert('ahoy')</script> & <b>bold</b> &amp; plain",
    "drop-tabitha": "Tabitha'); DROP TABLE users; --",
    "Quillhester": "one, two; three\nfour\n\nsix | seven",
    "equals-one-plus": "=HYPERLINK(\"https://example.org\";\"a spreadsheet would run this\")",
    "kern-and-serif": "Sets type by hand and tests by night, reads proofs upside down, and holds that one page "
                      "is done when no more can be taken away from it, not even the last comma.",
    "yunjian-yue": "云在山间，月在云间。" * 16,
    "famille-du-phare7": f"\U0001F468{ZWJ}\U0001F469{ZWJ}\U0001F467 gardent le phare, à tour de rôle ⚓️🇪🇺",
    "HeronsgateLew": "🐚🌊" * 80,
    "layan-bahr-aldaw": "أكتب البرامج بلغة Swift وأرسم البحر.",
    "tamar-galei": "כותבת קוד ב־Swift ומפות של ים.",
    "meera-tarapath": "तारों के नक्शे और छोटे प्रोग्राम।",
    "gorae-moonwell": "고래와 달, 그리고 작은 데이터베이스.",
    "hotaru-hoshikuzu": "小さな道具を作っています。",
    "iskra-tumannaya": "Пишу о маяках и базах данных.",
    "thaleia-astro7": "Χάρτες του ουρανού, γραμμή προς γραμμή.",
    "zoe-stastnabrook": decomposed("Café, crème brûlée and Ångström units."),
}

PLAIN_BIOS = [
    None, None, None, None,
    "Small tools for small boats.",
    "Compilers before breakfast.",
    "Tests first, tea second.",
    "Mostly weather data.",
    "Maintains things other people started.",
    "Ask me about lighthouses.",
    "Learning Swift, slowly.",
]
COMPANIES = [
    None, None, None,
    "@Quernwick-Ferries", "@Quaylantern-Labs", "Fennelwort Press", "Thistledown & Daughters",
]
LOCATIONS = [
    None, None,
    "Quernwick", "Northreach, Outer Sandbank", "Saint-Brume-sur-Mer", "Øvre Fjellvatn", "星の浜",
]
ACCOUNT_URLS = [
    ("followers_url", "/followers"),
    ("following_url", "/following{/other_user}"),
    ("gists_url", "/gists{/gist_id}"),
    ("starred_url", "/starred{/owner}{/repo}"),
    ("subscriptions_url", "/subscriptions"),
    ("organizations_url", "/orgs"),
    ("repos_url", "/repos"),
    ("events_url", "/events{/privacy}"),
    ("received_events_url", "/received_events"),
]


class Exchange(NamedTuple):
    """One request and its answer, before the clock and the rate limit are filled in."""

    url: str
    status: int
    body: object
    validated: bool = True
    headers: tuple = ()
    query: tuple = ()
    location: str = ""
    at: Optional[datetime] = None
    picture: Optional[bytes] = None
    resource: str = "core"


def number(below, *key):
    """A figure from 0 up to `below`, always the same for the same key."""
    digest = hashlib.sha256("/".join((SEED, *key)).encode()).digest()
    return int.from_bytes(digest[:8], "big") % below


def pick(choices, *key):
    return choices[number(len(choices), *key)]


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def http_date(moment):
    return format_datetime(moment, usegmt=True)


def json_date(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


# Accounts


def accounts():
    """A pair for each account: its row as in the list, and its whole detail."""
    account_id = FIRST_ID
    result = []
    for position, (login, name) in enumerate(PEOPLE):
        row = account_row(login, account_id)
        result.append((row, {**row, **account_detail(login, name, position)}))
        account_id += 1 + number(4000, login, "gap")
    return result


def account_row(login, account_id):
    organisation = login in ORGANISATIONS
    url = f"{API}/users/{login}"
    return {
        "login": login,
        "id": account_id,
        "node_id": node_id("O" if organisation else "U", account_id),
        "avatar_url": f"https://avatars.{SERVER}/u/{account_id}?v=4",
        "gravatar_id": "",
        "url": url,
        "html_url": f"https://{SERVER}/{login}",
        **{field: url + path for field, path in ACCOUNT_URLS},
        "type": "Organization" if organisation else "User",
        "user_view_type": "public",
        "site_admin": login in STAFF,
    }


def node_id(kind, account_id):
    """GitHub's global id: a letter for the kind, then [0, id] as MessagePack in URL-safe base64."""
    packed = b"\x92\x00\xce" + account_id.to_bytes(4, "big")
    return kind + "_" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def account_detail(login, name, position):
    """What a detail has beyond the row."""
    person = login not in ORGANISATIONS
    host = login.lower()
    created = created_at(login, position)
    return {
        "name": name,
        "company": pick(COMPANIES, login, "company") if person else None,
        "blog": pick(["", "", f"https://{host}.example.org"], login, "blog"),
        "location": pick(LOCATIONS, login, "location"),
        "email": pick([None, None, f"{host}@example.org"], login, "email"),
        "hireable": pick([None, None, None, True], login, "hireable") if person else None,
        "bio": BIOS[login] if login in BIOS else pick(PLAIN_BIOS, login, "bio"),
        "twitter_username": pick([None] * 7 + [f"example_{number(10_000, login)}"], login, "twitter"),
        "public_repos": number(240, login, "repos"),
        "public_gists": number(40, login, "gists"),
        "followers": number(4 ** (1 + number(9, login, "fame")), login, "followers"),
        "following": number(90, login, "following") if person else 0,
        "created_at": json_date(created),
        "updated_at": json_date(updated_at(login, created)),
    }


def created_at(login, position):
    """Ascends with the id, as GitHub's does."""
    first = datetime(2014, 1, 15, tzinfo=timezone.utc)
    return first + timedelta(days=43 * position, seconds=number(40 * 86_400, login, "created"))


def updated_at(login, created):
    latest = RECORDED_AT - timedelta(days=1)
    return created + timedelta(seconds=number(int((latest - created).total_seconds()), login, "updated"))


# Exchanges


def exchanges():
    """All exchanges in the order in which they were recorded."""
    rows_and_details = accounts()
    details = {detail["login"]: detail for _, detail in rows_and_details}
    yield from list_pages([row for row, _ in rows_and_details])
    for detail in details.values():
        yield detail_answer(detail["url"], detail)
    yield from renamed_answers(details[RENAMED_TO])
    yield missing_answer(MISSING)
    yield second_visit(details[REPEATED])
    yield from repository_answers(details[OWNER])
    for login, count in OTHER_OWNERS.items():
        yield from other_repository_answers(details[login], count)
    for login in PICTURED:
        yield picture_answer(details[login])
    yield from search_answers([row for row, _ in rows_and_details])
    yield limits_answer()


def list_pages(rows):
    since = None
    for start in range(0, len(rows), PAGE_ROWS):
        page = rows[start:start + PAGE_ROWS]
        more = start + PAGE_ROWS < len(rows)
        query = (("per_page", str(PAGE_ROWS)),) + ((("since", str(since)),) if since else ())
        since = page[-1]["id"]
        headers = (("Link", link(since if more else None)),)
        yield Exchange(list_url(query), 200, page, headers=headers, query=query)


def list_url(query):
    return f"{API}/users?" + "&".join(f"{name}={value}" for name, value in query)


def link(next_since):
    """The Link header of a page; the last page has no next."""
    first = f'<{API}/users{{?since}}>; rel="first"'
    if next_since is None:
        return first
    return f'<{list_url((("per_page", PAGE_ROWS), ("since", next_since)))}>; rel="next", {first}'


def detail_answer(url, detail, at=None):
    modified = datetime.strptime(detail["updated_at"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
    return Exchange(url, 200, detail, headers=(("Last-Modified", http_date(modified)),), at=at)


def renamed_answers(detail):
    """The old login moved permanently to the address by id, and the answer there. The 301 has no ETag."""
    by_id = f"{API}/user/{detail['id']}"
    body = {
        "message": "Moved Permanently",
        "url": by_id,
        "documentation_url": "https://docs.github.com/rest/guides/"
                             "best-practices-for-using-the-rest-api#follow-redirects",
    }
    yield Exchange(f"{API}/users/{RENAMED_FROM}", 301, body, validated=False,
                   headers=(("Location", by_id),), location=by_id)
    yield detail_answer(by_id, detail)


def missing_answer(login):
    body = {"message": "Not Found", "documentation_url": "https://docs.github.com/rest", "status": "404"}
    return Exchange(f"{API}/users/{login}", 404, body, validated=False)


def second_visit(detail):
    """The same address later the same day: three followers more and another biography."""
    changed = {
        **detail,
        "bio": "Draws maps of places that are under water half of the day. Now in colour.",
        "followers": detail["followers"] + 3,
        "updated_at": json_date(SECOND_VISIT_AT - timedelta(minutes=11)),
    }
    return detail_answer(detail["url"], changed, at=SECOND_VISIT_AT)


# Repositories


def repository_answers(owner):
    rows = [repository_row(owner, place, *facts[:3]) for place, facts in enumerate(REPOSITORIES)]
    query = (("per_page", "100"),)
    yield Exchange(f"{owner['url']}/repos?per_page=100", 200, rows, query=query)
    for row, (name, _, _, count) in zip(rows, REPOSITORIES):
        yield Exchange(row["url"], 200, {**row, "subscribers_count": 7, "network_count": 2})
        url = f"{row['url']}/commits?per_page=100"
        if count:
            yield Exchange(url, 200, commits(owner, name, row, count), query=query)
        else:
            body = {"message": "Git Repository is empty.", "documentation_url": "https://docs.github.com/rest",
                    "status": "409"}
            yield Exchange(url, 409, body, validated=False, query=query)


def other_repository_answers(owner, count):
    """The repositories of somebody else: forks of the owner's, each with the detail and the commits."""
    start = number(len(REPOSITORIES) - 2 * count, owner["login"], "forks")
    facts = [facts for facts in REPOSITORIES[start:] if facts[3]][:count]
    first = 1_000 * (1 + list(OTHER_OWNERS).index(owner["login"]))
    rows = [{**repository_row(owner, first + place, *fact[:3]), "fork": True} for place, fact in enumerate(facts)]
    query = (("per_page", "100"),)
    yield Exchange(f"{owner['url']}/repos?per_page=100", 200, rows, query=query)
    for row, (name, _, _, commit_count) in zip(rows, facts):
        yield Exchange(row["url"], 200, {**row, "subscribers_count": 1, "network_count": 2})
        yield Exchange(f"{row['url']}/commits?per_page=100", 200, commits(owner, name, row, commit_count), query=query)


def repository_row(owner, place, name, description, language):
    repository_id = FIRST_REPOSITORY_ID + 37 * place
    full_name = f"{owner['login']}/{name}"
    return {
        "id": repository_id,
        "node_id": node_id("R", repository_id),
        "name": name,
        "full_name": full_name,
        "private": False,
        "owner": {key: owner[key] for key in ("login", "id", "node_id", "avatar_url", "url", "type")},
        "html_url": f"https://{SERVER}/{full_name}",
        "description": description,
        "fork": False,
        "url": f"{API}/repos/{full_name}",
        "created_at": json_date(pushed_at(name) - timedelta(days=400)),
        "updated_at": json_date(pushed_at(name) + timedelta(hours=2)),
        "pushed_at": json_date(pushed_at(name)),
        "size": number(9_000, name, "size"),
        "stargazers_count": number(4 ** number(6, name, "fame"), name, "stars"),
        "language": language,
        "forks_count": number(9, name, "forks"),
        "open_issues_count": number(5, name, "issues"),
        "archived": name == "dead-reckoning",
        "disabled": False,
        "topics": [],
        "visibility": "public",
        "default_branch": "main",
    }


def pushed_at(name):
    return RECORDED_AT - timedelta(days=1 + number(200, name, "pushed"), seconds=number(86_400, name, "second"))


def commits(owner, name, row, count):
    """The commits, the newest first; each follows the one behind it."""
    shas = [hashlib.sha1("/".join((SEED, name, str(place))).encode()).hexdigest() for place in range(count)]
    return [commit(owner, name, row, shas, place) for place in reversed(range(count))]


def commit(owner, name, row, shas, place):
    date = json_date(pushed_at(name) - timedelta(days=3 * (len(shas) - 1 - place)))
    person = {"name": owner["name"], "email": f"{owner['login'].lower()}@example.org", "date": date}
    message = SUBJECTS[0] if place == 0 else pick(SUBJECTS[1:], name, str(place))
    account = {key: owner[key] for key in ("login", "id")}
    return {
        "sha": shas[place],
        "commit": {
            "author": person, "committer": person, "message": message,
            "tree": {"sha": hashlib.sha1((shas[place] + "tree").encode()).hexdigest()},
            "comment_count": 0,
            "verification": {"verified": False, "reason": "unsigned"},
        },
        "html_url": f"{row['html_url']}/commit/{shas[place]}",
        "author": account,
        "committer": account,
        "parents": [{"sha": shas[place - 1]}] if place else [],
    }


# Searches


def search_texts(logins):
    """What is searched: the first letter of each login, and its first word."""
    return sorted({login[:1] for login in logins} | {login.split("-")[0] for login in logins})


def search_answers(rows):
    logins = [row["login"].lower() for row in rows]
    for text in search_texts(logins):
        found = [found_user(row) for row, login in zip(rows, logins) if login.startswith(text)]
        body = {"total_count": len(found), "incomplete_results": False, "items": found}
        query = (("q", text), ("per_page", "100"))
        yield Exchange(f"{API}/search/users?q={text}&per_page=100", 200, body, query=query, resource="search")


def found_user(row):
    """A user as a search gives it, without the addresses that follow from the others."""
    kept = ("login", "id", "avatar_url", "url", "html_url", "type", "site_admin")
    return {**{key: row[key] for key in kept}, "score": 1.0}


# Limits


def limits_answer():
    reset = int(RATE_RESET_AT.timestamp())
    core = {"limit": RATE_LIMIT, "used": 0, "remaining": RATE_LIMIT, "reset": reset}
    search = {"limit": 30, "used": 0, "remaining": 30, "reset": reset}
    body = {"resources": {"core": core, "search": search}, "rate": core}
    return Exchange(f"{API}/rate_limit", 200, body, validated=False)


# Pictures


def picture_answer(detail):
    return Exchange(detail["avatar_url"], 200, None, query=(("v", "4"),), picture=picture(detail["login"]))


def picture(login):
    """A picture of 8 by 8 points in the colours of the login, as PNG. Nothing is compressed, so that all zlibs agree."""
    lines = b"".join(b"\x00" + bytes(number(256, login, str(line), str(x)) for x in range(24)) for line in range(8))
    length = len(lines).to_bytes(2, "little")
    inverse = (0xFFFF - len(lines)).to_bytes(2, "little")
    checksum = zlib.adler32(lines).to_bytes(4, "big")
    data = b"\x78\x01\x01" + length + inverse + lines + checksum
    head = (8).to_bytes(4, "big") * 2 + b"\x08\x02\x00\x00\x00"
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def chunk(kind, data):
    checksum = zlib.crc32(kind + data).to_bytes(4, "big")
    return len(data).to_bytes(4, "big") + kind + data + checksum


# HAR


def har():
    """The whole file: a HAR 1.2 log with each entry on a line of its own."""
    head = {
        "version": "1.2",
        "creator": {"name": "patchbay", "version": "1"},
        "pages": [],
        "comment": "invented persons in the shapes of GitHub's REST API; written by make-sample.py",
    }
    lines = [f'"{name}":{compact(value)},' for name, value in head.items()]
    entries = [compact(entry(position, exchange)) for position, exchange in enumerate(exchanges())]
    return '{"log":{\n' + "\n".join(lines) + '\n"entries":[\n' + ",\n".join(entries) + "\n]}}\n"


def entry(position, exchange):
    started = exchange.at or RECORDED_AT + timedelta(milliseconds=1130 * position)
    wait = 40 + number(160, exchange.url, str(position), "wait")
    return {
        "startedDateTime": started.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "time": wait + 2,
        "request": request(exchange),
        "response": response(position, exchange, started),
        "cache": {},
        "timings": {"send": 1, "wait": wait, "receive": 1},
    }


def request(exchange):
    return {
        "method": "GET",
        "url": exchange.url,
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": pairs(
            ("Accept", "application/vnd.github+json"),
            ("User-Agent", "patchbay"),
            ("X-GitHub-Api-Version", "2022-11-28"),
        ),
        "queryString": pairs(*exchange.query),
        "headersSize": -1,
        "bodySize": 0,
    }


def response(position, exchange, started):
    body = compact(exchange.body) if exchange.picture is None else base64.b64encode(exchange.picture).decode()
    size = len(body.encode() if exchange.picture is None else exchange.picture)
    return {
        "status": exchange.status,
        "statusText": {200: "OK", 301: "Moved Permanently", 404: "Not Found", 409: "Conflict"}[exchange.status],
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": response_headers(position, exchange, body, started),
        "content": {"size": size, **content(exchange, body)},
        "redirectURL": exchange.location,
        "headersSize": -1,
        "bodySize": size,
    }


def content(exchange, body):
    if exchange.picture is not None:
        return {"mimeType": "image/png", "text": body, "encoding": "base64"}
    return {"mimeType": "application/json; charset=utf-8", "text": body}


def response_headers(position, exchange, body, started):
    if exchange.picture is not None:
        return pairs(
            ("Date", http_date(started.replace(microsecond=0))), ("Content-Type", "image/png"),
            ("Cache-Control", "max-age=300"), ("ETag", etag(body)))
    if exchange.resource == "search":
        return pairs(
            ("Date", http_date(started.replace(microsecond=0))),
            ("Content-Type", "application/json; charset=utf-8"), ("ETag", etag(body)))
    used = position + 1
    validators = (("ETag", etag(body)),) if exchange.validated else ()
    return pairs(
        ("Date", http_date(started.replace(microsecond=0))),
        ("Content-Type", "application/json; charset=utf-8"),
        ("Cache-Control", "private, max-age=60, s-maxage=60"),
        ("Vary", "Accept, Authorization, Cookie, X-GitHub-OTP, Accept-Encoding, X-Requested-With"),
        *validators,
        *exchange.headers,
        ("X-GitHub-Media-Type", "github.v3; format=json"),
        ("x-github-api-version-selected", "2022-11-28"),
        ("x-ratelimit-limit", str(RATE_LIMIT)),
        ("x-ratelimit-remaining", str(RATE_LIMIT - used)),
        ("x-ratelimit-used", str(used)),
        ("x-ratelimit-reset", str(int(RATE_RESET_AT.timestamp()))),
        ("x-ratelimit-resource", "core"),
        ("X-GitHub-Request-Id", request_id(exchange.url, position, started)),
    )


def etag(body):
    """The validator of a body: weak, save for about one in twenty."""
    value = hashlib.sha256((SEED + body).encode()).hexdigest()
    return f'"{value}"' if number(20, value, "strong") == 0 else f'W/"{value}"'


def request_id(url, position, started):
    parts = [f"{number(16 ** digits, url, str(position), str(digits)):X}" for digits in (4, 5, 6, 7)]
    return ":".join(parts + [f"{int(started.timestamp()):X}"])


def pairs(*names_and_values):
    return [{"name": name, "value": value} for name, value in names_and_values]


# The command


def check_table():
    """Stops on a slip in the tables above, which a reader of the recording would take for GitHub's doing."""
    logins = [login for login, _ in PEOPLE]
    folded = {login.lower() for login in logins}
    valid = re.compile(r"(?!.*--)[A-Za-z0-9][A-Za-z0-9-]{0,37}[A-Za-z0-9]")
    assert len(folded) == len(logins), "two logins differ only in case"
    assert all(valid.fullmatch(login) for login in logins), "GitHub would not give out such a login"
    assert len(logins) - len(ORGANISATIONS) == 100, "the README promises 100 users"
    assert set(BIOS) | STAFF | ORGANISATIONS | {RENAMED_TO, REPEATED} <= set(logins), "a login is misspelt"
    assert not folded & {RENAMED_FROM.lower(), MISSING.lower()}, "the old and the missing login must be free"
    assert all(len(bio or "") <= 160 for bio in BIOS.values()), "GitHub cuts biographies off at 160 characters"


def main():
    parser = argparse.ArgumentParser(description="Writes sample.har, Patchbay's bundled recording.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the file differs")
    arguments = parser.parse_args()
    check_table()
    made = har().encode()
    assert len(made) <= FILE_BYTES_MAX, f"the recording has {len(made)} bytes, more than {FILE_BYTES_MAX}"
    if not arguments.check:
        FILE.write_bytes(made)
    elif not FILE.exists() or FILE.read_bytes() != made:
        sys.exit(f'"{FILE.name}" differs from what make-sample.py writes; run make-sample.py without --check')


if __name__ == "__main__":
    main()
