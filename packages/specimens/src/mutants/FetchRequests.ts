import { at, type Json } from "@wcs/conformance/wire/Json"
import * as Answering from "../Answering.ts"
import type { Mutant } from "../Mutant.ts"
import * as Rewrite from "../seams/Rewrite.ts"

const bulk = { method: "POST", path: /^\/fetch-requests\/bulk$/ }

/** Changes the failed items of a batch. */
const failed = (change: (item: Json) => Json) =>
  Rewrite.answers(
    { ...bulk, status: 200 },
    Rewrite.mapJson((body) => {
      const items = at(body, "data")
      if (!Array.isArray(items)) return body
      return Rewrite.put(
        body,
        "data",
        items.map((item: Json) => (at(item, "success") === false ? change(item) : item))
      )
    })
  )

/** Defects of bulk fetch requests. */
export const fetchRequestMutants: ReadonlyArray<Mutant> = [
  {
    name: "failed-fetch-request-fails-the-batch",
    rewrite: Rewrite.answers(bulk, (answer) =>
      Answering.refusal(answer, 422, "UNPROCESSABLE", "workers.1: is not there.")
    ),
    kills: [{ rule: "BLK-17", kind: "status", at: "status" }]
  },
  {
    name: "failed-fetch-request-has-a-code-and-a-message",
    rewrite: failed((item) =>
      Rewrite.put(item, "error", { code: "UNPROCESSABLE", message: at(item, "error") ?? null })
    ),
    kills: [{ rule: "BLK-17", kind: "wrong-type", at: "body.data.1.error" }]
  },
  {
    name: "failed-fetch-request-does-not-say-why",
    rewrite: failed((item) => Rewrite.put(item, "error", undefined)),
    kills: [{ rule: "BLK-17", kind: "missing", at: "body.data.1.error" }]
  },
  {
    name: "failed-fetch-request-has-a-status-instead",
    rewrite: failed((item) => Rewrite.put(Rewrite.put(item, "success", undefined), "status", "skipped")),
    kills: [{ rule: "BLK-17", kind: "missing", at: "body.data" }]
  },
  {
    name: "failed-fetch-request-is-told-as-done",
    rewrite: failed((item) => Rewrite.put(item, "success", true)),
    kills: [{ rule: "BLK-17", kind: "missing", at: "body.data" }]
  }
]
