import { erasureTable, userTable } from "@wcs/api/ListTables"
import { NewerSurface, newerRoot } from "@wcs/api/NewerSurface"
import { PrivilegeRules } from "@wcs/domain/access/Privilege"
import { roleTable } from "@wcs/domain/access/RoleTable"
import { ErasureRequest } from "@wcs/domain/erasure/Erasure"
import { Erasures } from "@wcs/domain/erasure/Erasures"
import { Dismissal, DuplicatePairs } from "@wcs/domain/merge/DuplicatePairs"
import { MergeRequest } from "@wcs/domain/merge/Merge"
import { Merges } from "@wcs/domain/merge/Merges"
import * as ListQuery from "@wcs/domain/resource/ListQuery"
import { FactorRequirements, FactorRequirementWrite } from "@wcs/domain/second-factor/FactorRequirements"
import { FactorResets } from "@wcs/domain/second-factor/FactorResets"
import { Sessions } from "@wcs/domain/session/Sessions"
import { UserPatch, UserWrite } from "@wcs/domain/user/UserDocument"
import { type Invited, Users } from "@wcs/domain/user/Users"
import { WhoAmI } from "@wcs/domain/user/WhoAmI"
import { Effect, Redacted } from "effect"
import { invitePath } from "../login/InviteRoutes.ts"
import type { Call } from "../pipeline/Call.ts"
import { handlersOf } from "../pipeline/Endpoints.ts"
import * as JsonBody from "../request/JsonBody.ts"
import { ownOrigin } from "../request/SameOrigin.ts"
import { listHandler, type OfOne, one, oneOf, readHandler, removeHandler } from "./CollectionHandlers.ts"
import * as FileLists from "./FileLists.ts"
import { wholeList } from "./WholeList.ts"

/** Adds the URL of the invite page, on the host of the request. */
const withUrl = ({ request }: Call, { document, secret }: Invited) => ({
  ...document,
  inviteUrl: `${ownOrigin(request)}${invitePath}/${Redacted.value(secret)}`
})

const readUser = JsonBody.readAs(UserWrite)
const readRequirement = JsonBody.readAs(FactorRequirementWrite)
const decodePatch = JsonBody.decodeAs(UserPatch, { refusesNull: true })

export const users = Effect.gen(function* () {
  const users = yield* Users
  const resets = yield* FactorResets
  const requirements = yield* FactorRequirements
  const fileList = yield* FileLists.make
  return handlersOf(NewerSurface, "users", {
    list: fileList("users", userTable, users.list),
    factorRequirement: (call: Call) =>
      oneOf(call, Effect.andThen(Effect.fromResult(ListQuery.singles([], call.query)), requirements.read)),
    requireFactors: (call: Call) =>
      Effect.gen(function* () {
        const { value, warnings } = yield* readRequirement(call)
        return one(call, { document: yield* requirements.replace(value), warnings })
      }),
    roles: wholeList(roleTable(yield* PrivilegeRules)),
    create: (call: Call) =>
      Effect.gen(function* () {
        const { value, warnings } = yield* readUser(call)
        const document = withUrl(call, yield* users.invite(value))
        return one(call, { document, warnings }, 201, { location: `${newerRoot}/users/${document.id}` })
      }),
    read: readHandler(users.read),
    patch: (call: OfOne) =>
      Effect.gen(function* () {
        const { value, warnings } = yield* Effect.flatMap(JsonBody.readPatch(call), decodePatch)
        return one(call, { document: yield* users.patch(call.params.id, value), warnings })
      }),
    remove: removeHandler(users.remove),
    activate: (call: OfOne) => oneOf(call, users.activate(call.params.id)),
    resetSecondFactor: (call: OfOne) =>
      oneOf(call, Effect.andThen(resets.reset(call.params.id), users.read(call.params.id, { includeDeleted: "true" }))),
    reinvite: (call: OfOne) =>
      oneOf(
        call,
        Effect.map(users.renewInvite(call.params.id), (invited) => withUrl(call, invited))
      )
  })
})

export const sessions = Effect.map(Sessions, (sessions) =>
  handlersOf(NewerSurface, "sessions", {
    list: listHandler(sessions.list),
    read: readHandler(sessions.read),
    remove: removeHandler(sessions.remove)
  })
)

const readErasure = JsonBody.readAs(ErasureRequest)

export const erasures = Effect.gen(function* () {
  const erasures = yield* Erasures
  const fileList = yield* FileLists.make
  return handlersOf(NewerSurface, "erasures", {
    list: fileList("erasures", erasureTable, erasures.list),
    erase: (call: OfOne) =>
      Effect.gen(function* () {
        const { value, warnings } = yield* readErasure(call)
        return one(call, { document: yield* erasures.erase(call.params.id, value.reason), warnings })
      })
  })
})

const readDismissal = JsonBody.readAs(Dismissal)

export const duplicates = Effect.map(DuplicatePairs, (pairs) =>
  handlersOf(NewerSurface, "duplicates", {
    list: listHandler(pairs.list),
    dismiss: (call: Call) =>
      Effect.gen(function* () {
        const { value, warnings } = yield* readDismissal(call)
        return one(call, { document: yield* pairs.dismiss(value), warnings })
      })
  })
)

const readMerge = JsonBody.readAs(MergeRequest)

export const merges = Effect.map(Merges, (merges) =>
  handlersOf(NewerSurface, "merges", {
    list: listHandler(merges.list),
    merge: (call: OfOne) =>
      Effect.gen(function* () {
        const { value, warnings } = yield* readMerge(call)
        return one(call, { document: yield* merges.merge(call.params.id, value.from), warnings })
      }),
    undo: (call: OfOne) => oneOf(call, merges.undo(call.params.id))
  })
)

export const me = Effect.map(WhoAmI, ({ read }) =>
  handlersOf(NewerSurface, "me", {
    read: (call: Call) => oneOf(call, Effect.andThen(Effect.fromResult(ListQuery.singles([], call.query)), read))
  })
)
