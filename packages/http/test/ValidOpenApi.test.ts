import { assert, layer } from "@effect/vitest"
import { BASIC } from "@hyperjump/json-schema/experimental"
import { validate } from "@hyperjump/json-schema/openapi-3-1"
import { createConfig, lintFromString } from "@redocly/openapi-core"
import { Effect } from "effect"
import * as Deployment from "./Deployment.ts"

/** A validator with rules in code. */
const redocly = (text: string) =>
  Effect.promise(async () => {
    const rules = { "info-license": "off", "tag-description": "off" } as const
    const config = await createConfig({ extends: ["recommended"], rules })
    const problems = await lintFromString({ source: text, absoluteRef: "openapi.json", config })
    return problems.map(({ location: [place], message, ruleId }) => `${ruleId} at ${place?.pointer}: ${message}`)
  })

/** A validator with the official JSON Schema of OpenAPI 3.1. */
const published = (text: string) =>
  Effect.promise(async () => {
    const output = await validate("https://spec.openapis.org/oas/3.1/schema-base", JSON.parse(text), BASIC)
    if (output.valid) return []
    return (output.errors ?? []).map(({ absoluteKeywordLocation, instanceLocation }) => {
      return `${instanceLocation} breaks ${absoluteKeywordLocation}`
    })
  })

const document = Effect.map(
  Deployment.call({ path: "/openapi.json", headers: { host: "acme.org" } }),
  ({ text }) => text
)

layer(Deployment.layer(Deployment.services()), { excludeTestServices: true })("two OpenAPI validators", (it) => {
  it.effect("accept the document", () =>
    Effect.gen(function* () {
      const text = yield* document
      assert.deepStrictEqual(yield* redocly(text), [])
      assert.deepStrictEqual(yield* published(text), [])
    })
  )

  it.effect("each find a broken document", () =>
    Effect.gen(function* () {
      const broken = (yield* document)
        .replace('"in":"path"', '"in":"way"')
        .replace(/"maxLength":200\b/, '"maxLength":"long"')
      const [first, second] = [yield* redocly(broken), yield* published(broken)]
      for (const place of ["in", "maxLength"]) {
        assert.isTrue(
          first.some((problem) => problem.includes(`/${place}:`)),
          `${place} in ${first}`
        )
        assert.isTrue(
          second.some((problem) => problem.includes(`/${place} breaks`)),
          `${place} in ${second}`
        )
      }
    })
  )

  it.effect("find an example that breaks its schema; one of the two suffices", () =>
    Effect.gen(function* () {
      const shown = yield* document
      for (const [right, wrong] of [
        ['"displayName":"Ann Example"', '"displayName":7'],
        ['"sequence":1', '"sequence":"first"']
      ] as const) {
        assert.isNotEmpty(yield* redocly(shown.replaceAll(right, wrong)), right)
      }
    })
  )

  it.effect("find a dangling reference; one of the two suffices", () =>
    Effect.gen(function* () {
      const dangling = (yield* document).replace('"#/components/headers/Location"', '"#/components/headers/Elsewhere"')
      assert.isNotEmpty(yield* redocly(dangling))
    })
  )
})
