import { randomUUID } from "node:crypto"
import { assert } from "@effect/vitest"
import type { PrivilegeName, Role } from "@wcs/domain/access/Privilege"
import { Effect, Redacted } from "effect"
import { type Answer, at, type Call, operator, otherHost, Service } from "../../Service.ts"

/** The root path of the legacy surface (§9). */
export const root = "/api"

/** A user who can log in. */
export interface Person {
  readonly email: string
  readonly password: string
  readonly host: string
}

/** A new user with a password, verified by default. */
export const person = Effect.fnUntraced(function* (
  given: {
    readonly role?: Role | ReadonlyArray<PrivilegeName>
    readonly verified?: boolean
    readonly other?: boolean
  } = {}
) {
  const { administration, otherTenant, tenant, users } = yield* Service
  const { other = false, role = "Super Admin", verified = true } = given
  const tenantId = other ? otherTenant.id : tenant.id
  const email = `${randomUUID()}@example.org`
  const password = `pass: ${randomUUID()}`
  yield* Effect.orDie(administration.createUser(tenantId, email, role, operator))
  yield* Effect.orDie(users.update(tenantId, email, { firstName: "Ann", surname: "Example" }, operator))
  yield* Effect.orDie(users.setPassword(tenantId, email, Redacted.make(password), operator))
  if (verified) yield* Effect.orDie(users.setVerified(tenantId, email, true, operator))
  return { email, password, host: other ? otherHost : "localhost" } satisfies Person
})

export const basic = ({ email, password }: Pick<Person, "email" | "password">): string =>
  `Basic ${Buffer.from(`${email}:${password}`).toString("base64")}`

/** A call of the surface, with or without an `Authorization` header. */
export const send = (
  method: string,
  path: string,
  authorization: string | undefined,
  more: Partial<Call> = {}
): Effect.Effect<Answer, never, Service> =>
  Service.use(({ call }) =>
    call({
      method,
      path: root + path,
      token: null,
      ...more,
      headers: { ...(authorization === undefined ? {} : { authorization }), ...more.headers }
    })
  )

/** A person's number, and a token of theirs. */
export const login = Effect.fnUntraced(function* (who: Person) {
  const me = yield* send("GET", "/users/me", basic(who), { host: who.host })
  const number = at(me, "id")
  const issued = yield* send("POST", `/users/${number}/token`, basic(who), { host: who.host })
  const token = at(issued, "token")
  if (typeof token !== "string") throw new Error(`no token: ${issued.status} ${issued.text}`)
  return { number: Number(number), token, bearer: `Bearer ${token}`, issued, me }
})

/** Fails unless the response is the surface's error with this status. */
export const assertLegacyError = (answer: Answer, status: number, field: string | null = null): void => {
  const told = `${answer.status} ${answer.text.slice(0, 300)}`
  assert.strictEqual(answer.status, status, told)
  assert.deepStrictEqual(Object.keys(Object(answer.json)), ["status", "message", "field"], told)
  assert.strictEqual(at(answer, "status"), status, told)
  assert.isString(at(answer, "message"))
  assert.strictEqual(at(answer, "field"), field, told)
}
