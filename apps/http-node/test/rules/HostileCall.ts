import { Arbitrary, Schema } from "effect"
import type { Call } from "../Service.ts"
import { withValue } from "./ContractFields.ts"
import * as EveryRoute from "./EveryRoute.ts"
import { root } from "./NewerSurface.ts"

type Arb<A> = Arbitrary.Arbitrary<A>

const pick = <const A extends string | number | boolean>(...values: ReadonlyArray<A>): Arb<A> =>
  Arbitrary.schema(Schema.Literals(values))

/** One of these, each as likely as any other; the first is the simplest. */
const oneOf = <A>(first: Arb<A>, ...others: ReadonlyArray<Arb<A>>): Arb<A> => {
  const options = [first, ...others]
  return Arbitrary.flatMap(pick(...options.keys()), (index) => options[index] ?? first)
}

// What parsers, databases, paths and headers take for something else than text.
const morsels = [
  ..."aZ09 _-.:;,/\\'\"`%&=?#<>{}[]()|$*+~!@^",
  ...["\0", "\u0001", "\t", "\n", "\r", "\u007f", "\u0085", "\u2028", "\ufeff", "\ufffd"],
  ...["é", "e\u0301", "例", "😀", "\ud800", "\udc00", "\u202e"],
  ...[
    "%00",
    "%ff",
    "%zz",
    "%2e%2e",
    "%2f",
    "%c0%af",
    "%F0%9F%98%80",
    "\\u0000",
    "../",
    "{{7*7}}",
    "' OR '1'='1",
    "; --"
  ],
  ...["__proto__", "constructor", "prototype", "toString", "null", "undefined", "NaN", "true", "1e400", "-0"]
]
const hostileText: Arb<string> = Arbitrary.map(Arbitrary.array(pick(...morsels), { maxLength: 12 }), (parts) =>
  parts.join("")
)
const longText: Arb<string> = Arbitrary.map(
  Arbitrary.all([pick(...morsels), pick(10, 100, 300, 2000)]),
  ([one, count]) => one.repeat(count)
)
const text = oneOf(hostileText, hostileText, longText)

const knownNames = [
  ...["identity", "displayName", "firstName", "otherNames", "birthDate", "contact", "employment", "status", "source"],
  ...["externalId", "emailAddress", "attributes", "credentialType", "identifier", "holder", "expiryDate", "owners"],
  ...["worker", "applicant", "type", "id", "from", "to", "credentialIds", "createdAt", "eligibility", "lastKnown"]
]
const numbers = [0, -1, 1.5, 42, 1e21, 5e-324, 2 ** 53, 2_147_483_648]

/**
 * Any request: to any path, or to where a good one goes, with something wrong or nothing. What happens to be deleted is
 * among the `doomed`, so that the others are still there for the last request.
 */
export const hostileCall = (of: EveryRoute.Subjects, doomed: EveryRoute.Subjects): Arb<Call> => {
  const ids = [...Object.values(doomed), ...Object.values(EveryRoute.missing)]
  const anyId = pick(...Object.values(of), ...ids)
  const id = oneOf<string>(anyId, anyId, text)

  const scalar: Arb<unknown> = oneOf<unknown>(
    Arbitrary.Constant(null),
    pick(true, false),
    pick(...numbers),
    text,
    id,
    pick("FIRST_AID", "WWCC_NSW", "worker", "applicant", "2024-02-29", "2023-02-29", "HIRED", "MAY_ENGAGE")
  )
  const name = oneOf<string>(pick(...knownNames), pick(...knownNames), hostileText)
  const json = (depth: number): Arb<unknown> => {
    if (depth === 0) return scalar
    const inner = json(depth - 1)
    const object = Arbitrary.map(Arbitrary.array(Arbitrary.all([name, inner]), { maxLength: 5 }), (entries) =>
      // As JSON.parse has it: `__proto__` is a key like any other.
      Object.fromEntries(entries)
    )
    return oneOf<unknown>(scalar, Arbitrary.array(inner, { maxLength: 4 }), object, object)
  }

  const goodCalls = EveryRoute.routes.map((route) =>
    EveryRoute.goodCall(route, route.method === "DELETE" ? doomed : of)
  )
  const goodBodies = goodCalls.flatMap(({ body }) => (body === undefined ? [] : [body]))
  const goodBody = Arbitrary.map(pick(...goodBodies.keys()), (index) => goodBodies[index])
  const nearlyGood = Arbitrary.map(
    Arbitrary.all([goodBody, Arbitrary.array(name, { minLength: 1, maxLength: 3 }), json(2)]),
    ([body, path, value]) => withValue(body, path, value)
  )
  const bytes = Arbitrary.map(
    Arbitrary.array(Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))), {
      maxLength: 40
    }),
    (values) => Uint8Array.from(values)
  )
  const cut = Arbitrary.map(Arbitrary.all([nearlyGood, pick(1, 2, 3, 5, 8, 13, 21)]), ([body, by]) =>
    JSON.stringify(body).slice(0, -by)
  )
  type Body = Pick<Call, "body" | "rawBody">
  const body: Arb<Body> = oneOf<Body>(
    Arbitrary.Constant({}),
    Arbitrary.map(goodBody, (body) => ({ body })),
    Arbitrary.map(nearlyGood, (body) => ({ body })),
    Arbitrary.map(json(4), (body) => ({ body: body === undefined ? null : body })),
    Arbitrary.map(oneOf<string | Uint8Array>(bytes, cut, text), (rawBody) => ({ rawBody }))
  )

  const escaped = Arbitrary.map(text, (one) => encodeURIComponent(one.toWellFormed()).slice(0, 4000))
  /** As it is, but for what no client can put on a request line. */
  const raw = Arbitrary.map(hostileText, (one) => one.replaceAll(/[^\u0021-\u007e]/g, ""))
  const segment = oneOf<string>(pick(...ids), pick(...ids), escaped, raw)
  const routePath = Arbitrary.map(
    Arbitrary.all([pick(...EveryRoute.routes.map(({ path }) => path)), segment]),
    ([path, one]) => path.replace(":id", one)
  )
  const anyPath = Arbitrary.map(
    Arbitrary.all([pick(root, "/openapi", "/api", ""), Arbitrary.array(segment, { maxLength: 4 })]),
    ([begin, segments]) => `${begin}/${segments.join("/")}`
  )
  const parameter = oneOf<string>(
    pick("pageSize", "cursor", "page", "sort", "includeDeleted", "includeTotal", "updatedAfter", "updatedBefore"),
    pick("externalId", "query", "ownerExternalId", "ownerType", "ownerId", "credentialType", "eligibility"),
    escaped,
    raw
  )
  const value = oneOf<string>(
    pick("1", "true", "worker", "createdAt:desc", "2026-01-01T00:00:00Z", ...ids),
    escaped,
    raw
  )
  const query = Arbitrary.map(
    Arbitrary.array(Arbitrary.all([parameter, pick("=", "=", "=", "", "[]="), value]), { maxLength: 4 }),
    (parts) => (parts.length === 0 ? "" : `?${parts.map((part) => part.join("")).join("&")}`)
  )
  const path = Arbitrary.map(
    Arbitrary.all([oneOf<string>(routePath, routePath, routePath, anyPath), query]),
    // Longer ones are a test of their own: the connection is closed behind them.
    (parts) => parts.join("").slice(0, 8000)
  )

  /** What a client can put into a header. */
  const headerText = Arbitrary.map(text, (one) =>
    one
      .replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, "")
      .trim()
      .slice(0, 3000)
  )
  const header: Arb<readonly [string, string]> = oneOf<readonly [string, string]>(
    Arbitrary.map(
      pick(
        "application/json",
        "application/merge-patch+json",
        "text/plain",
        "application/x-www-form-urlencoded",
        "",
        ";"
      ),
      (type) => ["content-type", type] as const
    ),
    Arbitrary.map(headerText, (type) => ["content-type", type] as const),
    Arbitrary.map(pick("gzip", "identity", "br", ""), (encoding) => ["content-encoding", encoding] as const),
    Arbitrary.map(
      pick(
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "8e03978e-40d5-43e8-bc93-6894a57f9324",
        "8E03978E-40D5-43E8-BC93-6894A57F932Z"
      ),
      (one) => ["x-request-id", one] as const
    ),
    Arbitrary.map(headerText, (one) => ["x-request-id", one] as const),
    Arbitrary.map(
      Arbitrary.all([pick("Bearer ", "bearer\t", "Basic ", "Bearer  ", "Token ", ""), headerText]),
      (parts) => ["authorization", parts.join("").trim()] as const
    ),
    Arbitrary.map(
      pick("other.localhost", "LOCALHOST:1", "localhost.", "nobody", "[::1]", "127.0.0.1", "a b"),
      (host) => ["host", host] as const
    ),
    Arbitrary.map(
      Arbitrary.all([
        pick("accept", "accept-encoding", "if-none-match", "if-modified-since", "range", "cookie", "x-forwarded-for"),
        headerText
      ]),
      ([name, one]) => [name, one] as const
    ),
    Arbitrary.map(
      Arbitrary.all([
        pick("x-forwarded-proto", "x-forwarded-host", "forwarded", "x-http-method-override", "origin"),
        headerText
      ]),
      ([name, one]) => [name, one] as const
    )
  )
  const someHeaders = Arbitrary.map(Arbitrary.array(header, { maxLength: 3 }), (entries) => Object.fromEntries(entries))
  const headers = oneOf<Readonly<Record<string, string>>>(Arbitrary.Constant({}), Arbitrary.Constant({}), someHeaders)

  const token = oneOf<Pick<Call, "token">>(
    Arbitrary.Constant({}),
    ...Array.from({ length: 12 }, () => Arbitrary.Constant({})),
    Arbitrary.Constant({ token: null }),
    Arbitrary.map(headerText, (one) => ({ token: one }))
  )
  const random: Arb<Call> = Arbitrary.map(
    Arbitrary.all([
      pick(
        "GET",
        "POST",
        "PUT",
        "PATCH",
        "DELETE",
        "GET",
        "POST",
        "PUT",
        "PATCH",
        "HEAD",
        "OPTIONS",
        "TRACE",
        "PROPFIND",
        "QUERY"
      ),
      path,
      body,
      headers,
      token
    ]),
    ([method, path, body, headers, token]) => ({ method, path, headers, ...body, ...token })
  )
  /** A good call with another body, so that more than the first test of each is met. */
  const spoilt: Arb<Call> = Arbitrary.map(
    Arbitrary.all([
      pick(...goodCalls.keys()),
      oneOf<Body>(
        Arbitrary.map(nearlyGood, (body) => ({ body })),
        body
      ),
      headers
    ]),
    ([index, body, headers]) => ({ ...(goodCalls[index] ?? { method: "GET", path: root }), headers, ...body })
  )
  /** Well-formed, and at odds with the slots as often as not. */
  const reference = pick("worker", "applicant").pipe(
    Arbitrary.flatMap((type) =>
      pick(of[type], doomed[type], EveryRoute.missing[type]).pipe(Arbitrary.map((id) => ({ type, id })))
    )
  )
  const contending: Arb<Call> = Arbitrary.map(
    Arbitrary.all([pick("link", "unlink", "transfer"), pick(of.credential, of.shared), reference, reference]),
    ([verb, credential, from, to]) => ({
      method: "POST",
      path: `${root}/credentials/${credential}/${verb}`,
      body: { from, to }
    })
  )
  return oneOf<Call>(random, spoilt, random, spoilt, contending)
}
