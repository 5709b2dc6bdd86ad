import type { Role } from "@wcs/domain/access/Privilege"
import { stepOf } from "@wcs/domain/second-factor/SecondFactor"
import { Totp } from "@wcs/domain/second-factor/Totp"
import { Administration } from "@wcs/domain/token/Administration"
import { Users } from "@wcs/domain/user/Users"
import { Clock, Effect, Redacted } from "effect"
import * as Deployment from "./Deployment.ts"

export const origin = "https://localhost"

export const password = "correct horse battery staple"

let people = 0

/** An email that no user has. */
export const newEmail = () => `person${++people}@example.org`

/** Creates a user of the tenant of `localhost` with the password. Returns the email. */
export const person = Effect.fnUntraced(function* (role: Role = "Admin") {
  const { tenant } = yield* Deployment.Settled
  const email = newEmail()
  yield* Administration.use((admin) => admin.createUser(tenant.id, email, role, Deployment.operator))
  yield* Users.use((users) => users.setPassword(tenant.id, email, Redacted.make(password), Deployment.operator))
  return email
})

/** The headers of a form on one of our pages. */
export const fromOurPage = {
  origin,
  "sec-fetch-site": "same-origin",
  "content-type": "application/x-www-form-urlencoded"
}

/** The headers of the console script. */
export const fromConsole = { "sec-fetch-site": "same-origin", "x-wcs-console": "1" }

interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A browser that stores cookies and does not follow redirects. */
export const browser = Effect.gen(function* () {
  const fetch = yield* Deployment.Fetch
  const jar = new Map<string, string>()
  const setCookies: Array<string> = []
  const send = Effect.fnUntraced(function* (method: string, path: string, { body, form, headers = {} }: Sent = {}) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ")
    const request = new Request(`${origin}${path}`, {
      method,
      headers: { host: "localhost", ...headers, ...(cookie === "" ? {} : { cookie }) },
      redirect: "manual",
      ...(form === undefined ? (body === undefined ? {} : { body }) : { body: new URLSearchParams(form).toString() })
    })
    const response = yield* Effect.promise(() => fetch(request))
    for (const line of response.headers.getSetCookie()) {
      setCookies.push(line)
      const [pair = ""] = line.split(";")
      const [name = "", value = ""] = pair.split("=")
      if (value === "" || /max-age=0/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    const text = yield* Effect.promise(() => response.text())
    return {
      status: response.status,
      /** The next page: from the redirect or the refresh of the page. */
      location: response.headers.get("location") ?? /content="0;url=([^"]*)"/.exec(text)?.[1] ?? null,
      headers: { get: (name: string): string | null => response.headers.get(name) },
      text
    }
  })
  return {
    jar,
    setCookies,
    get: (path: string, headers: Sent["headers"] = { "sec-fetch-site": "none" }) => send("GET", path, { headers }),
    post: (path: string, form: Sent["form"] = {}, headers: Sent["headers"] = fromOurPage) =>
      send("POST", path, { headers, form }),
    send
  }
})

/** Returns the seed on the enrolment page. */
export const seedIn = (page: string): Redacted.Redacted =>
  Redacted.make(/<code>([A-Z2-7]{32})<\/code>/.exec(page)?.[1] ?? "")

/** Returns the code of an authenticator app, now or some steps later. */
export const codeOf = Effect.fnUntraced(function* (seed: Redacted.Redacted, stepsLater = 0) {
  return (yield* Totp).codeAt(seed, stepOf(yield* Clock.currentTimeMillis) + stepsLater)
})
