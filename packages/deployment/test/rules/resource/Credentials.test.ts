import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { applicant, Service, textAt, tokenOf, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, idOfNothing, post, remove, root } from "../NewerSurface.ts"

const create = (owners: unknown, attributes: Readonly<Record<string, unknown>> = {}) =>
  post("/credentials", { attributes: { credentialType: "FIRST_AID", ...attributes, owners } })

layer(layerService(), { excludeTestServices: true })("credentials", (it) => {
  it.effect("CRD-01, ENV-10: a missing owner, a deleted one and another tenant's are each 422", () =>
    Effect.gen(function* () {
      const { call, otherTenant } = yield* Service
      const here = yield* worker()
      const deleted = yield* worker({ source: { externalId: "gone" } })
      assertStatus(yield* remove(`/workers/${deleted}`), 204)
      const { token } = yield* tokenOf("Super Admin", true)
      const body = { identity: { displayName: "Elsewhere" } }
      const elsewhere = yield* call({
        method: "POST",
        path: `${root}/workers`,
        host: otherTenant.hosts[0] ?? "",
        token,
        body
      })
      assertStatus(elsewhere, 201)
      for (const id of [idOfNothing(here), deleted, textAt(elsewhere, "data.id")]) {
        assertRefused(yield* create({ worker: id }), "UNPROCESSABLE", id)
        assertRefused(yield* create({ worker: id, applicant: yield* applicant() }), "UNPROCESSABLE", id)
      }
      const nobody = idOfNothing(yield* applicant())
      assertRefused(yield* create({ worker: here, applicant: nobody }), "UNPROCESSABLE", nobody)
      assertStatus(yield* create({ worker: here }), 201)
    })
  )
})
