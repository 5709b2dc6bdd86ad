import { assert, describe, it } from "@effect/vitest"
import { Worker } from "@wcs/domain/people/Worker"
import { columnValue, type Resource } from "@wcs/domain/resource/Resource"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { definitions } from "@wcs/store-suite/resource/Definitions"
import { fullWorker } from "@wcs/store-suite/resource/FullWorker"
import { fieldsOf } from "@wcs/store-suite/resource/RandomFields"
import { Schema } from "effect"
import fc from "fast-check"

const decodesToItself = <Fields extends JsonObject>(resource: Resource<Fields>, fields: Fields): void =>
  assert.deepStrictEqual(Schema.decodeUnknownSync(resource.fields)(fields), fields)

// A store may decode what it reads, so the suite must store valid fields only.
describe("the random fields", () => {
  it.each(definitions)("are valid for a $type and vary in each column", (resource) => {
    const drawn = fc.sample(fieldsOf(resource), 100)
    for (const fields of drawn) decodesToItself(resource, fields)
    for (const column of Object.keys(resource.columns)) {
      const values = new Set(drawn.map((fields) => columnValue(resource, column, fields)))
      assert.isAbove(values.size, 1, column)
    }
  })

  it("are valid in the fixture that sets every field", () => {
    decodesToItself(Worker, fullWorker)
  })
})
