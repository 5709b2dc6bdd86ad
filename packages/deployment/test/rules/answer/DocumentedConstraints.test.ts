import { assert, layer } from "@effect/vitest"
import { ids, requests } from "@wcs/api/openapi/examples/Requests"
import { isObject, type JsonObject, type JsonValue, type Path, at as within } from "@wcs/domain/shared/Json"
import { Effect } from "effect"
import { type Answer, at, Service } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { documentedUrl, endpoints, exampleRun } from "./ExampleRun.ts"
import { type Step, story } from "./ExampleStory.ts"
import { makeResolve, type Probe, probesOf, valuesOf, withValue } from "./Probes.ts"

/** The steps that all examples depend on. */
const preparation = story.filter(
  ({ operation, status }) =>
    status === undefined && (/\.create$|^bans\.|^legacy\.(me|token)$/.test(operation) || operation === "webhooks.ping")
)

/** Fields that exclude other fields of the example. Their schemas occur elsewhere. */
const excluded: Readonly<Record<string, ReadonlyArray<string>>> = {
  identityProviders: ["saml", "metadata"],
  exemptions: ["applicant"]
}

/**
 * Whether a field of an operation has another rule besides its schema, so that a value at a bound of the schema may be
 * refused: it is fixed after the creation, its form depends on another field, it needs another one beside it, it names what must be there, or it must
 * be within days from today.
 */
const hasOtherRules = (name: string, path: Path): boolean => {
  const [group = "", action = ""] = name.split(".")
  const isUpdate = action === "replace" || action === "patch"
  const { resource } = endpoints.get(`${group}.list`) ?? {}
  const isFixed = resource?.fixed.some(({ path: fixed }) => fixed.every((key, index) => path[index] === key)) ?? false
  const isUrlWithSecret = group === "verificationSources" && isUpdate && path[0] === "url"
  const isOfUnits = group === "users" && path[0] === "units"
  const isNearDay = action === "decisions" && path[0] === "endsOn"
  const isOfFile = name === "imports.check" && path[0] === "mapping"
  const isOfTwo = name === "duplicates.dismiss" // two different workers
  return (
    isOfTwo ||
    (isUpdate && isFixed) ||
    isOfUnits ||
    isNearDay ||
    isOfFile ||
    isUrlWithSecret ||
    (group === "credentials" && path.at(-1) === "identifier")
  )
}

/**
 * Whether another rule answers a probe: in a merge patch null removes the field, a field of the example may be required
 * as an alternative, a secret may have any character, and each item of a batch answers for itself.
 */
const isOfAnotherRule = (name: string, example: JsonValue, { keyword, path }: Probe): boolean => {
  const sent: unknown = path.reduce<unknown>((value, key) => Object(value)[key], example)
  if (keyword === "null") return name.endsWith(".patch") || sent !== undefined
  return keyword === "control" && (path[0] === "clientSecret" || (name.includes(".bulk") && path.includes("0")))
}

/** The example, completed with the fields of the create example. Probes are made from its values. */
const richest = (example: JsonValue | undefined, created: JsonValue | undefined): JsonValue | undefined => {
  if (!isObject(created)) return example ?? created
  if (!isObject(example)) return example ?? created
  const names = new Set([...Object.keys(created), ...Object.keys(example)])
  return Object.fromEntries([...names].map((name) => [name, richest(example[name], created[name]) ?? null] as const))
}

/** The operations whose bodies are no JSON. */
const texts: ReadonlyArray<string> = ["oauth.token", "imports.create", "documents.create"]

/** A URL as long as that of the example, so that lengths stay the same. */
const receiver = "https://receiver.invalid/".padEnd(documentedUrl.length, "e")

/** The parameter that another one needs beside it. */
const beside = (parameter: string, value: string): string =>
  parameter === "ownerType" ? `&ownerId=${value === "worker" ? ids.ann : ids.bo}` : ""

const documentOf = Effect.map(
  Service.use(({ call }) => call({ method: "GET", path: "/openapi.json", token: null })),
  ({ json }): JsonObject => (isObject(json) ? json : {})
)

interface Operation {
  readonly name: string
  readonly body: JsonValue | undefined
  readonly parameters: ReadonlyArray<JsonObject>
}

const operationsOf = (document: JsonObject): ReadonlyArray<Operation> =>
  Object.values(document["paths"] ?? {}).flatMap((item: JsonValue) =>
    Object.values(isObject(item) ? item : {}).flatMap((operation) => {
      if (!isObject(operation)) return []
      const parameters = Array.isArray(operation["parameters"]) ? operation["parameters"] : []
      const content = within(operation, ["requestBody", "content"])
      const [media] = Object.values(isObject(content) ? content : {})
      const body = within(media, ["schema"])
      return [{ name: String(operation["operationId"]), body, parameters: parameters.map(makeResolve(document)) }]
    })
  )

/** The login with which the story calls an operation. */
const stepOf = (operation: string): Step => {
  const { as } = story.find((step) => step.operation === operation && step.status === undefined) ?? {}
  return as === undefined ? { operation } : { operation, as }
}

const messageOf = (answer: Answer): string => String(at(answer, "error.message") ?? at(answer, "message") ?? "")

/** Whether the answer is a refusal of this field, or of the object around it. */
const refuses = (answer: Answer, path: Path): boolean => {
  const isRefusal = answer.status === 400 || answer.status === 422
  const names = path.filter((key) => !/^\d+$/.test(key))
  return isRefusal && names.slice(-2).some((name) => messageOf(answer).includes(name))
}

/** Internal terms that no caller should read. */
const leaks = /missing key|expected|schema|undefined|\bgot\b|invalid data|<filter>|\bfilter\b|\["/i

const sentinel = "NONSENSE"

/** Whether a refusal is worded as sentences that tell nothing of the inside and repeat no value. */
const isWorded = (answer: Answer): boolean => {
  const message = messageOf(answer)
  return message.endsWith(".") && !leaks.test(message) && !message.includes(sentinel)
}

const shown = (probe: Probe) => `${probe.path.join(".")} ${probe.keyword} ${JSON.stringify(probe.value)?.slice(0, 80)}`

layer(layerService(), { excludeTestServices: true })("the constraints of the OpenAPI document", (it) => {
  it.effect(
    "ENV-05, ENV-06: are those that the server enforces on bodies: beyond is refused in words, at the bound is accepted",
    () =>
      Effect.gen(function* () {
        const document = yield* documentOf
        const { send, tell } = yield* exampleRun(receiver)
        yield* tell(preparation)
        const wrong: Array<string> = []
        const counts = { beyond: 0, within: 0, succeeded: 0 }
        const probe = (name: string, body: JsonObject, one: Probe) =>
          Effect.gen(function* () {
            const changed = withValue(body, one.path, one.value)
            const answer = yield* send({ ...stepOf(name), body: isObject(changed) ? changed : {} })
            const refused = refuses(answer, one.path)
            counts[one.isAccepted ? "within" : "beyond"]++
            if (answer.status < 300 && one.isAccepted) counts.succeeded++
            if (refused === one.isAccepted || answer.status >= 500 || (refused && !isWorded(answer)))
              wrong.push(`${name} ${shown(one)}: ${answer.status} ${answer.text.slice(0, 200)}`)
          })
        const bodies = operationsOf(document).filter(({ body, name }) => body !== undefined && !texts.includes(name))
        // Changes of people come last: other examples find a worker by the external id.
        const isAboutPeople = ({ name }: Operation) => /^(workers|applicants)\./.test(name)
        for (const { body, name } of [...bodies].sort((a, b) => Number(isAboutPeople(a)) - Number(isAboutPeople(b)))) {
          const example = requests[name]?.body ?? {}
          const [group = ""] = name.split(".")
          const values = richest(example, requests[`${group}.create`]?.body)
          for (const one of probesOf(body, values, makeResolve(document))) {
            if (excluded[group]?.includes(one.path[0] ?? "") === true) continue
            if (isOfAnotherRule(name, example, one)) continue
            if (!one.isAccepted || !hasOtherRules(name, one.path)) yield* probe(name, example, one)
          }
        }
        assert.deepStrictEqual(wrong, [])
        assert.isAtLeast(counts.beyond, 900)
        assert.isAtLeast(counts.within, 300)
        // The others break a rule about stored data, such as a code that is in use.
        assert.isAtLeast(counts.succeeded, 0.9 * counts.within)
      }),
    300_000
  )
})

layer(layerService(), { excludeTestServices: true })("the constraints of the OpenAPI document", (it) => {
  it.effect(
    "ENV-07, ENV-08: are those that the server enforces on parameters: beyond, repeated and unknown ones are refused",
    () =>
      Effect.gen(function* () {
        const document = yield* documentOf
        const resolve = makeResolve(document)
        const { send, tell } = yield* exampleRun(receiver)
        yield* tell(preparation)
        const wrong: Array<string> = []
        let count = 0
        for (const { name, parameters } of operationsOf(document)) {
          for (const { in: place, name: parameter, schema: unresolved } of parameters) {
            const schema = resolve(unresolved)
            const words = Array.isArray(schema["enum"])
              ? schema["enum"].map((word) => [String(word), true] as const)
              : []
            const values = [
              ...words,
              ...valuesOf(schema, "x").flatMap(([keyword, value, isAccepted]) =>
                keyword === "type" && schema["type"] === "string" ? [] : [[String(value), isAccepted] as const]
              )
            ]
            for (const [value, isAccepted] of values) {
              const text = encodeURIComponent(value)
              const own = requests[name]?.path ?? {}
              const call =
                place === "path"
                  ? { path: { ...own, [String(parameter)]: text } }
                  : { query: `?${String(parameter)}=${text}${beside(String(parameter), value)}` }
              const answer = yield* send({
                ...stepOf(name),
                ...call,
                ...(name === "complianceChecks.evaluate" ? { body: {} } : {})
              })
              count++
              const refused = refuses(answer, [String(parameter)])
              if (refused === isAccepted || answer.status >= 500 || (refused && !isWorded(answer)))
                wrong.push(`${name} ${String(parameter)}=${value}: ${answer.status} ${answer.text.slice(0, 200)}`)
            }
          }
          const names = parameters.flatMap((one) => (one["in"] === "query" ? [String(one["name"])] : []))
          if (names.length === 0 || name.startsWith("legacy.")) continue
          for (const parameter of [...names, "unknown"]) {
            const query = `?${parameter}=${sentinel}&${parameter}=b`
            const body = name === "complianceChecks.evaluate" ? { body: {} } : {}
            const answer = yield* send({ ...stepOf(name), query, ...body })
            if (!refuses(answer, [parameter]) || !isWorded(answer))
              wrong.push(`${name}${query}: ${answer.status} ${answer.text.slice(0, 200)}`)
          }
        }
        assert.deepStrictEqual(wrong, [])
        assert.isAtLeast(count, 600)
      }),
    300_000
  )
})
