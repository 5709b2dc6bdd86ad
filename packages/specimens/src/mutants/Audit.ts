import { at, type Json } from "@wcs/conformance/text/Json"
import { type Mutant, mutant } from "../Mutant.ts"
import type { Serve } from "../Serve.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import { withOneHistory } from "../variants/Profiles.ts"

const history = { method: "GET", path: /^\/audit-events(?:\?|$)/, status: 200 }

/** Changes the entries of a history; undefined removes one. */
const entries = (change: (entry: Json) => Json | undefined) =>
  Rewrite.answers(
    history,
    Rewrite.mapJson((body) => {
      const items = at(body, "data")
      if (!Array.isArray(items)) return body
      return Rewrite.put(
        body,
        "data",
        items.flatMap((item: Json) => change(item) ?? [])
      )
    })
  )

const clientOf = (entry: Json): Json | undefined =>
  at(entry, "bearer.kind") === "oauth" ? at(entry, "bearer.id") : undefined

/** Applies to every client but the first one seen. */
const ofOthers =
  (change: (entry: Json) => Json | undefined) =>
  (serve: Serve): Serve => {
    let first: Json | undefined
    return entries((entry) => {
      const client = clientOf(entry)
      first ??= client
      return client === undefined || client === first ? entry : change(entry)
    })(serve)
  }

const account = "urn:wcs:account:acc_0000000000000000"

/** Defects of the audit log. */
export const auditMutants: ReadonlyArray<Mutant> = [
  mutant("audit-names-the-client", "PRV-15 wrong-value at body.data.0.account").rewrite(
    entries((entry) => {
      const client = clientOf(entry)
      return client === undefined ? entry : Rewrite.put(entry, "account", client)
    })
  ),
  mutant("each-client-has-an-account-of-its-own", "PRV-15 wrong-value at body.data.0.account").rewrite(
    ofOthers((entry) => Rewrite.put(entry, "account", account))
  ),
  mutant("one-history-names-an-account-for-each-client", "PRV-15 wrong-value at body.data.0.account").by({
    rewrite: ofOthers((entry) => Rewrite.put(entry, "account", account)),
    profile: withOneHistory
  }),
  mutant("audit-leaves-out-what-a-second-client-does", "PRV-15 missing at body.data.0.account").rewrite(
    ofOthers(() => undefined)
  ),
  mutant("audit-names-nobody-for-a-second-client", "PRV-15 wrong-value at body.data.0.account").rewrite(
    ofOthers((entry) => Rewrite.put(entry, "account", null))
  )
]
