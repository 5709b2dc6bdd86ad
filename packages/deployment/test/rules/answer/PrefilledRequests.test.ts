import { assert, layer } from "@effect/vitest"
import { exampleIds, ids } from "@wcs/api/openapi/examples/Requests"
import { accountIdOf } from "@wcs/domain/access/Account"
import { isObject, type JsonObject, type JsonValue, at as within } from "@wcs/domain/shared/Json"
import { fetchWithOwnIds } from "@wcs/http/OwnIds"
import { Effect } from "effect"
import { Service, textAt, tokenOf, worker } from "../../Service.ts"
import { layerService, raisedLimits } from "../../TestService.ts"
import { basic, person } from "../legacy/LegacySurface.ts"

const origin = "https://localhost"

/** Operations that do not succeed on a deployment in which only the examples were created, and why. */
const refused: Readonly<Record<string, number>> = {
  "oauth.token": 401, // its client is created further down
  "bans.decisions": 404, // no call creates a ban
  "credentials.decisions": 422, // the register leaves no question about the card
  "credentials.review": 422, // only credentials of a manual register have reviews
  "notes.list": 400, // the record is left to the reader
  "notes.remove": 404, // the note was erased with its worker
  "documents.remove": 400, // the reason is left to the reader
  "duplicates.dismiss": 400, // the page has one worker
  "merges.merge": 400,
  "merges.undo": 404,
  "tasks.assign": 404, // the cards of the examples leave no question
  "messages.resend": 404, // the mail server has refused no message
  "answers.read": 404, // nobody has answered a request
  "answers.approve": 404,
  "answers.documents": 404,
  "answers.document": 404,
  "answers.reject": 404,
  "sessions.remove": 404 // no call creates a session
}

/** Operations that succeed only after work in the background has ended. */
const waiting: ReadonlyArray<string> = ["imports.run", "imports.undo", "imports.remove"]

/** An operation of the document in the page, with the request that the page fills in. */
interface Prefilled {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly contentType: string | undefined
  readonly body: string | undefined
}

/** The query that the page sends: the default or the first value of each parameter that is not switched off. */
const queryOf = (parameters: ReadonlyArray<JsonValue | undefined>): string => {
  const sent = parameters.flatMap((parameter): ReadonlyArray<readonly [string, string]> => {
    const isOff = ["default", "example"].every((key) => within(parameter, ["examples", key, "x-disabled"]) === true)
    const words = within(parameter, ["schema", "enum"])
    const value = within(parameter, ["schema", "default"]) ?? (Array.isArray(words) ? words[0] : undefined)
    if (within(parameter, ["in"]) !== "query" || isOff || value === undefined) return []
    return [[String(within(parameter, ["name"])), String(value)]]
  })
  return sent.length === 0 ? "" : `?${new URLSearchParams(Object.fromEntries(sent))}`
}

const inOrder = (document: JsonObject): ReadonlyArray<Prefilled> => {
  const inPlace = (part: JsonValue): JsonValue | undefined => {
    const reference = within(part, ["$ref"])
    return typeof reference === "string" ? within(document, reference.split("/").slice(1)) : part
  }
  const exampleOf = (part: JsonValue | undefined) => within(part, ["examples", "example", "value"])
  const prefilled = (method: string, path: string, operation: JsonValue): Prefilled => {
    const parameters = within(operation, ["parameters"])
    const described = (Array.isArray(parameters) ? parameters : []).map(inPlace)
    const filled = described.reduce<string>((rest, parameter) => {
      const name = `{${within(parameter, ["name"])}}`
      return rest.replace(name, encodeURIComponent(String(exampleOf(parameter))))
    }, path)
    const content = within(operation, ["requestBody", "content"])
    const [contentType, media] = isObject(content) ? (Object.entries(content)[0] ?? []) : []
    const example = exampleOf(media)
    // the example of a form is a list of fields
    const fields = Array.isArray(example)
      ? example.map((field) => [within(field, ["name"]), within(field, ["value"])])
      : []
    const isForm = contentType === "application/x-www-form-urlencoded"
    const body = isForm
      ? String(new URLSearchParams(fields as Array<[string, string]>))
      : typeof example === "string"
        ? example
        : JSON.stringify(example)
    const name = String(within(operation, ["operationId"]))
    return { name, method, path: filled + queryOf(described), contentType, body }
  }
  return Object.entries(document["paths"] ?? {}).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => prefilled(method.toUpperCase(), path, operation as JsonValue))
  )
}

/** The page of a reader with a token, a session and a password. */
const openPage = Effect.gen(function* () {
  const service = yield* Service
  const send = async (request: Request): Promise<Response> => {
    const [path, text] = [request.url.slice(origin.length), await request.text()]
    const headers = Object.fromEntries(request.headers)
    const body = text === "" ? {} : { rawBody: text }
    const answer = await Effect.runPromise(
      service.call({ method: request.method, path, token: null, headers, ...body })
    )
    return new Response(answer.status === 204 ? null : answer.text, {
      status: answer.status,
      headers: { "content-type": answer.headers["content-type"] ?? "" }
    })
  }
  const user = yield* person()
  const session = yield* service.session(accountIdOf((yield* tokenOf("Super Admin")).urn))
  const { text: page } = yield* service.call({ method: "GET", path: "/docs" })
  const [, document = "{}"] = /^ *content: (\{.*\})$/m.exec(page) ?? []
  let legacy = ""
  const login = (name: string): Readonly<Record<string, string>> => {
    if (name === "oauth.token") return {}
    if (/^(users|sessions|erasures)\./.test(name)) return session.headers
    if (name === "legacy.me" || name === "legacy.token") return { authorization: basic(user) }
    return { authorization: `Bearer ${name.startsWith("legacy.") ? legacy : service.superAdmin}` }
  }
  const lines: Array<string> = []
  const fetch = fetchWithOwnIds(send, exampleIds, (line) => lines.push(line))
  const test = ({ body, contentType, method, name, path }: Prefilled) =>
    Effect.promise(async () => {
      const headers = { ...login(name), ...(contentType === undefined ? {} : { "content-type": contentType }) }
      const sent = await fetch(`${origin}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
      const text = await sent.text()
      if (name === "legacy.token") legacy = JSON.parse(text).token
      return { status: sent.status, text, line: lines.at(-1) ?? "" }
    })
  return { operations: inOrder(JSON.parse(document)), test }
})

layer(layerService(raisedLimits), { excludeTestServices: true })("test requests of the reference page", (it) => {
  it.effect("read a record of the deployment and say which, and change none, before anything was created", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const id = yield* worker()
      const { operations, test } = yield* openPage
      const tested = (names: RegExp) =>
        Effect.forEach(
          operations.filter(({ name }) => names.test(name)),
          test
        )
      const [read, ...none] = yield* tested(/^workers\.read$/)
      const sent = `Sent with ids of your own records: GET /openapi/v1/workers/${id}`
      assert.deepStrictEqual([read?.status, read?.line, none], [200, sent, []])
      const changes = yield* tested(/^workers\.(replace|patch|remove)$/)
      assert.lengthOf(changes, 3)
      for (const { line, status, text } of changes) {
        assert.deepStrictEqual([status, line], [404, ""])
        assert.include(text, ids.ann)
      }
      const shown = yield* call({ method: "GET", path: `/openapi/v1/workers/${id}` })
      assert.strictEqual(textAt(shown, "data.identity.displayName"), "Ann Example")
    })
  )

  it.effect(
    "succeed as prefilled, in the order of the document with deletes at the end",
    () =>
      Effect.gen(function* () {
        const { recordBan, tenant } = yield* Service
        const entry = { register: "ndis", key: "1", checkedAt: "2026-03-01T22:15:00Z", eligibility: "MAY_NOT_ENGAGE" }
        yield* Effect.orDie(recordBan(tenant.id, { ...entry, worker: { id: yield* worker() } }))
        const { operations: all, test } = yield* openPage
        const operations = all.filter(({ name }) => !waiting.includes(name))
        const isDelete = ({ method, name }: Prefilled) => method === "DELETE" || name === "erasures.erase"
        const tested = (some: ReadonlyArray<Prefilled>) =>
          Effect.forEach(some, (one) => Effect.map(test(one), ({ status, text }) => [one.name, status, text] as const))
        const answers = yield* tested(operations.filter((one) => !isDelete(one)))
        // once its client exists, the token request works, too
        const again = yield* tested(operations.filter(({ name }) => name === "oauth.token"))
        assert.deepStrictEqual(
          again.map(([name, status]) => [name, status]),
          [["oauth.token", 200]]
        )
        answers.push(...(yield* tested(operations.filter(isDelete))))
        const failed = answers.filter(([, status]) => status >= 300)
        const told = JSON.stringify(failed.filter(([name, status]) => refused[name] !== status))
        assert.deepStrictEqual(Object.fromEntries(failed.map(([name, status]) => [name, status])), refused, told)
        assert.isAbove(answers.length, 100)
      }),
    60_000
  )
})
