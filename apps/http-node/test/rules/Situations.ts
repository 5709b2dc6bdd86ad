import { Effect } from "effect"
import { type Call, client, credential, grantForm, otherHost, Service, tokenOf, tokenPath, worker } from "../Service.ts"

/** One way for a call to end. */
export interface Situation {
  readonly what: string
  readonly status: number
  readonly call: Call
  /** The shape of the body; `none` without a body. */
  readonly shape: "data" | "envelope" | "message" | "grant" | "grant error" | "none"
}

const root = "/openapi/v1"
const ann = { identity: { displayName: "Ann Example" } }
const form = { "content-type": "application/x-www-form-urlencoded" }

const worked = Effect.gen(function* () {
  const holder = yield* worker()
  const held = yield* credential({ worker: holder })
  const gone = yield* worker()
  return [
    { what: "a list", status: 200, shape: "data", call: { method: "GET", path: `${root}/workers` } },
    { what: "one", status: 200, shape: "data", call: { method: "GET", path: `${root}/workers/${holder}` } },
    { what: "a create", status: 201, shape: "data", call: { method: "POST", path: `${root}/workers`, body: ann } },
    {
      what: "a link that changes nothing",
      status: 200,
      shape: "data",
      call: { method: "POST", path: `${root}/credentials/${held}/link`, body: { type: "worker", id: holder } }
    },
    {
      what: "a batch",
      status: 200,
      shape: "data",
      call: {
        method: "POST",
        path: `${root}/credentials/link`,
        body: { to: { type: "worker", id: holder }, credentialIds: [held, "nonsense"] }
      }
    },
    { what: "a delete", status: 204, shape: "none", call: { method: "DELETE", path: `${root}/workers/${gone}` } }
  ] satisfies ReadonlyArray<Situation>
})

const refused = Effect.gen(function* () {
  const holder = yield* worker()
  const another = yield* worker()
  const held = yield* credential({ worker: holder })
  const viewer = yield* tokenOf("Viewer")
  const refusal = (what: string, status: number, call: Call): Situation => ({ what, status, shape: "envelope", call })
  return [
    refusal("no JSON", 400, {
      method: "POST",
      path: `${root}/workers`,
      rawBody: "{",
      headers: { "content-type": "application/json" }
    }),
    refusal("a missing field", 400, { method: "POST", path: `${root}/workers`, body: {} }),
    refusal("an unknown sort field", 400, { method: "GET", path: `${root}/workers?sort=nonsense:asc` }),
    refusal("a malformed id", 400, { method: "GET", path: `${root}/workers/nonsense` }),
    refusal("a call without its privilege", 403, {
      method: "POST",
      path: `${root}/workers`,
      body: ann,
      token: viewer.token
    }),
    refusal("a missing id", 404, { method: "GET", path: `${root}/workers/wkr_0000000000000000` }),
    refusal("an unknown path", 404, { method: "GET", path: `${root}/nonsense` }),
    refusal("a method that the path does not support", 405, { method: "DELETE", path: `${root}/workers` }),
    refusal("a link into a taken slot", 409, {
      method: "POST",
      path: `${root}/credentials/${held}/link`,
      body: { type: "worker", id: another }
    }),
    refusal("a body of more than 1 MiB", 413, {
      method: "POST",
      path: `${root}/workers`,
      rawBody: `"${"a".repeat(1024 * 1024)}"`,
      headers: { "content-type": "application/json" }
    }),
    refusal("a body of another type", 415, {
      method: "POST",
      path: `${root}/workers`,
      rawBody: "identity.displayName=Ann",
      headers: form
    }),
    refusal("the last owner unlinked", 422, {
      method: "POST",
      path: `${root}/credentials/${held}/unlink`,
      body: { type: "worker", id: holder }
    })
  ]
})

const unauthenticated: ReadonlyArray<Situation> = [
  {
    what: "no token",
    status: 401,
    shape: "message",
    call: { method: "GET", path: `${root}/workers`, token: null }
  },
  {
    what: "an unknown token",
    status: 401,
    shape: "message",
    call: { method: "POST", path: `${root}/workers`, body: ann, token: "nonsense" }
  },
  {
    what: "no token, at an unknown path",
    status: 401,
    shape: "message",
    call: { method: "GET", path: `${root}/nonsense`, token: null }
  },
  {
    what: "no token, with a method that the path does not support",
    status: 401,
    shape: "message",
    call: { method: "DELETE", path: `${root}/workers`, token: null }
  }
]

const granted = Effect.gen(function* () {
  const made = yield* client()
  const post = (rawBody: string, more: Partial<Call> = {}): Call => ({
    method: "POST",
    path: tokenPath,
    token: null,
    rawBody,
    headers: form,
    ...more
  })
  const good = new URLSearchParams(grantForm(made)).toString()
  const refusal = (what: string, status: number, call: Call): Situation => ({
    what: `the token endpoint: ${what}`,
    status,
    shape: "grant error",
    call
  })
  return [
    { what: "the token endpoint: a token", status: 200, shape: "grant", call: post(good) },
    refusal("no grant", 400, post("")),
    refusal("a parameter twice", 400, post(`${good}&client_id=again`)),
    refusal("no UTF-8", 400, { ...post(""), rawBody: new Uint8Array([0x67, 0xff]) }),
    refusal("JSON", 400, { method: "POST", path: tokenPath, token: null, body: grantForm(made) }),
    refusal("an unknown client", 401, post(`${good}x`)),
    refusal("a form of more than 16 KiB", 413, post(`${good}&more=${"a".repeat(16 * 1024)}`)),
    refusal("GET", 405, { method: "GET", path: tokenPath, token: null }),
    refusal("another method with a good token", 405, { method: "PUT", path: tokenPath, rawBody: good, headers: form })
  ] satisfies ReadonlyArray<Situation>
})

/** Every way for a call of the newer surface to end on a tenant's host, except an exhausted limit. */
export const onTenant = Effect.gen(function* () {
  return [...(yield* worked), ...(yield* refused), ...unauthenticated, ...(yield* granted)]
})

/** Calls that reach no tenant's surface. */
export const elsewhere: ReadonlyArray<Situation> = [
  {
    what: "an unknown host",
    status: 404,
    shape: "envelope",
    call: { method: "GET", path: `${root}/workers`, host: `no.${otherHost}` }
  },
  {
    what: "a path outside both surfaces",
    status: 404,
    shape: "envelope",
    call: { method: "GET", path: "/nonsense", token: null }
  },
  {
    what: "a path and query of more than 8 KiB",
    status: 414,
    shape: "envelope",
    call: { method: "GET", path: `${root}/workers?query=${"a".repeat(8 * 1024)}` }
  }
]

/** Makes every call of some situations, with these additional headers. */
export const answers = Effect.fnUntraced(function* (
  situations: ReadonlyArray<Situation>,
  headers: Readonly<Record<string, string>> = {}
) {
  const { call } = yield* Service
  return yield* Effect.forEach(situations, (situation) =>
    Effect.map(call({ ...situation.call, headers: { ...situation.call.headers, ...headers } }), (answer) => ({
      ...situation,
      expected: situation.status,
      answer
    }))
  )
})
