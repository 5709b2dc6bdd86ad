import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { dataOf, get, root } from "../rules/NewerSurface.ts"
import { type Answer, Service } from "../Service.ts"

interface Cookie {
  readonly value: string
  readonly isCrossSite: boolean
}

/** Headers of a navigation from the address bar, of our own form, and of a form on another site. */
export const typed = { "sec-fetch-site": "none" }
export const fromOurPage = {
  origin: "https://localhost",
  "sec-fetch-site": "same-origin",
  "content-type": "application/x-www-form-urlencoded"
}
export const fromOtherSite = {
  origin: "https://idp.example.org",
  "sec-fetch-site": "cross-site",
  "content-type": "application/x-www-form-urlencoded"
}

/** A browser at `localhost`: keeps cookies, sends strict ones to its own site only, and follows no redirects. */
export const browser = Effect.gen(function* () {
  const { call } = yield* Service
  const jar = new Map<string, Cookie>()

  const send = Effect.fnUntraced(function* (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    form?: Readonly<Record<string, string>>
  ) {
    const isCrossSite = headers["sec-fetch-site"] === "cross-site"
    const cookie = [...jar]
      .filter(([, kept]) => kept.isCrossSite || !isCrossSite)
      .map(([name, { value }]) => `${name}=${value}`)
      .join("; ")
    const answer = yield* call({
      method,
      path,
      token: null,
      headers: { ...headers, ...(cookie === "" ? {} : { cookie }) },
      ...(form === undefined ? {} : { rawBody: new URLSearchParams(form).toString() })
    })
    // The header lines are joined. Commas occur within dates too.
    for (const line of (answer.headers["set-cookie"] ?? "").split(/,(?=__Host-)/)) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (name === "") continue
      if (value === "" || /max-age=0/i.test(line)) jar.delete(name)
      else jar.set(name, { value, isCrossSite: /samesite=none/i.test(line) })
    }
    return answer
  })

  return {
    jar,
    get: (path: string, headers: Readonly<Record<string, string>> = typed) => send("GET", path, headers),
    post: (path: string, form: Readonly<Record<string, string>>, headers = fromOurPage) =>
      send("POST", path, headers, form)
  }
})

export interface Browser extends Effect.Success<typeof browser> {}

export const sessionCookie = "__Host-wcs"

/** The logged-in account of a browser, if any. */
export const accountOf = Effect.fnUntraced(function* ({ get }: Browser) {
  const { status, text } = yield* get("/account")
  return status === 200 ? /<strong>([^<]*)<\/strong>/.exec(text)?.[1] : undefined
})

/** Calls the API with the browser's session, as the console does. */
export const called = Effect.fnUntraced(function* ({ jar }: Browser, method: string, path: string, sent?: unknown) {
  const { call } = yield* Service
  const headers = {
    cookie: `${sessionCookie}=${jar.get(sessionCookie)?.value}`,
    "x-wcs-console": "1",
    "sec-fetch-site": "same-origin",
    origin: "https://localhost"
  }
  return yield* call({
    method,
    path: `${root}${path}`,
    token: null,
    headers,
    ...(sent === undefined ? {} : { body: sent })
  })
})

/** The reasons in the audit log for refused logins of a provider. */
export const refusals = Effect.fnUntraced(function* (id: string) {
  const answer = yield* get(`/audit-events?entityId=${id}&pageSize=100&sort=createdAt:asc`)
  return dataOf(answer).flatMap((entry) => /^refuse login: (\w+)$/.exec(Object(entry).action)?.[1] ?? [])
})

export const assertFailed = (answer: Answer, client: Browser) => {
  assert.strictEqual(answer.status, 401, answer.text)
  assert.include(answer.text, "The login through your organization failed.")
  assert.isFalse(client.jar.has(sessionCookie))
}
