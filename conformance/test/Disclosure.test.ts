import { assert, describe, it } from "@effect/vitest"
import { disclosedIn } from "@wcs/conformance/exchanges/Disclosure"

const inside: ReadonlyArray<readonly [text: string, what: string]> = [
  ["TypeError: x is undefined\n    at link (/srv/app/link.js:10:5)", "stack"],
  ["Traceback (most recent call last)", "stack"],
  ["Caused by: java.lang.NullPointerException", "stack"],
  ["NullPointerException at Worker.java:42", "stack"],
  ["insert failed: INSERT INTO workers VALUES ($1)", "query"],
  ["select * from workers where id = 1", "query"],
  ['duplicate key value violates unique constraint "workers_pkey"', "query"],
  ["cannot open /var/lib/wcs/store.db", "file path"],
  ["cannot open C:\\wcs\\store.db", "file path"],
  ["connect ECONNREFUSED 10.0.0.7", "host"],
  ["no answer from db.example:5432", "host"],
  ["no answer from postgres.prod.svc", "host"],
  ["connection to localhost was lost", "host"]
]

const harmless = [
  "An unexpected error occurred.",
  "Please select a worker from the list, or delete it from there.",
  "Unexpected error on POST /openapi/v1/workers at 2026-01-02T03:04:05.678Z.",
  "Version 4.1.0: ask support@example.org or see https://status.example.org/help.",
  '{"error":{"code":"INTERNAL","message":"Update it and set the name.","requestId":"01JY7Q2M4R8S6T0V9W3X5Z1A2B"}}'
]

describe("internals in a message", () => {
  for (const [text, what] of inside) {
    it(`ENV-18: ${JSON.stringify(text.slice(0, 40))} shows a ${what}`, () => {
      assert.include(
        disclosedIn(text).map((one) => one.what),
        what
      )
    })
  }
  for (const text of harmless) {
    it(`ENV-18: ${JSON.stringify(text.slice(0, 40))} shows nothing`, () =>
      assert.deepStrictEqual(disclosedIn(text), []))
  }
})
