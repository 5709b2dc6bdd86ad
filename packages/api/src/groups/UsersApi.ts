import { RoleDocument } from "@wcs/domain/access/RoleTable"
import { FactorRequirement, FactorRequirementWrite } from "@wcs/domain/second-factor/FactorRequirements"
import { UserDocument, UserPatch, UserWrite } from "@wcs/domain/user/UserDocument"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Location, Many, One, ResourceId, Whole } from "../Envelope.ts"
import { GuardOf, guard } from "../Guard.ts"
import { parameter, readParameters, search, timelineParameters } from "../ListParameters.ts"
import { TableOf } from "../ListTable.ts"
import { userTable } from "../ListTables.ts"
import { guarded } from "../Middleware.ts"
import { freshSession, StepUpOf } from "../StepUpOf.ts"
import { everyBody, everyCall, wireErrors } from "../WireError.ts"

const User = UserDocument.annotate({ identifier: "TenantUser" })

const Requirement = FactorRequirement.annotate({ identifier: "SecondFactorRequirement" })

const InvitedUser = Schema.Struct({
  ...UserDocument.fields,
  inviteUrl: Schema.String.annotate({
    description: "Link with which the user sets a password. Valid once, for 7 days. Returned only once."
  })
}).annotate({ identifier: "InvitedUser" })

const patch = UserPatch.annotate({ identifier: "UserPatch" })

const acting = [wireErrors.INVALID_ARGUMENT, wireErrors.UNPROCESSABLE, ...everyCall] as const

/** `/users`: the users of an organization. Changes need a logged-in user. */
export class UsersApi extends guarded(
  HttpApiGroup.make("users").add(
    HttpApiEndpoint.get("list", "/users", {
      query: {
        ...timelineParameters("created"),
        includeDeleted: parameter("true: includes deactivated users.", Schema.Boolean),
        query: search
      },
      success: Many(User),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(TableOf, userTable)
      .annotate(GuardOf, guard("user", "READ")),
    HttpApiEndpoint.get("roles", "/roles", {
      success: Whole(RoleDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "List the roles")
      .annotate(OpenApi.Description, "Returns each role with its privileges, also those that it keeps within units.")
      .annotate(GuardOf, guard("user", "READ")),
    HttpApiEndpoint.get("factorRequirement", "/second-factor-requirement", {
      success: One(Requirement),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Read whether all users need a second factor")
      .annotate(GuardOf, guard("user", "READ")),
    HttpApiEndpoint.put("requireFactors", "/second-factor-requirement", {
      payload: FactorRequirementWrite.annotate({ identifier: "SecondFactorRequirementWrite" }),
      success: One(Requirement),
      error: [...everyBody, wireErrors.UNPROCESSABLE, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Require a second factor of all users")
      .annotate(
        OpenApi.Description,
        "From the first day on, users without an authenticator app set one up at their next login with a password, and get " +
          "nothing else before. Logins through an identity provider are exempt: the provider asks for its own factors. " +
          "Sessions that are open go on until they end. Super Admins and users with a short password need an app anyway."
      )
      .annotate(GuardOf, guard("identityProvider", "UPDATE"))
      .annotate(StepUpOf, freshSession),
    HttpApiEndpoint.post("create", "/users", {
      payload: UserWrite.annotate({ identifier: "UserWrite" }),
      success: HttpApiSchema.WithHeaders(One(InvitedUser).pipe(HttpApiSchema.status(201)), Location),
      error: [...everyBody, wireErrors.UNPROCESSABLE, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Invite a user")
      .annotate(GuardOf, guard("user", "CREATE"))
      .annotate(StepUpOf, freshSession),
    HttpApiEndpoint.get("read", "/users/:id", {
      params: ResourceId,
      query: readParameters,
      success: One(User),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("user", "READ")),
    HttpApiEndpoint.patch("patch", "/users/:id", {
      params: ResourceId,
      payload: [patch.pipe(HttpApiSchema.asJson({ contentType: "application/merge-patch+json" })), patch],
      success: One(User),
      error: [...everyBody, wireErrors.UNPROCESSABLE, ...everyCall]
    })
      .annotate(OpenApi.Description, "Fails with 403 if the user has or would get privileges that the caller lacks.")
      .annotate(GuardOf, guard("user", "UPDATE"))
      .annotate(StepUpOf, freshSession),
    HttpApiEndpoint.delete("remove", "/users/:id", {
      params: ResourceId,
      success: HttpApiSchema.NoContent,
      error: acting
    })
      .annotate(OpenApi.Summary, "Deactivate a user")
      .annotate(OpenApi.Description, "Revokes the sessions, tokens and API clients of the user.")
      .annotate(GuardOf, guard("user", "DELETE"))
      .annotate(StepUpOf, freshSession),
    HttpApiEndpoint.post("activate", "/users/:id/activate", {
      params: ResourceId,
      success: One(User),
      error: acting
    })
      .annotate(
        OpenApi.Description,
        "Reactivates a deactivated user, if the limit of users allows one more. Sessions, tokens and API clients stay revoked."
      )
      .annotate(GuardOf, guard("user", "UPDATE"))
      .annotate(StepUpOf, freshSession),
    HttpApiEndpoint.post("resetSecondFactor", "/users/:id/reset-second-factor", {
      params: ResourceId,
      success: One(User),
      error: acting
    })
      .annotate(OpenApi.Summary, "Reset the second factor of a user")
      .annotate(
        OpenApi.Description,
        "Removes the authenticator app and the recovery codes of another user, and ends the sessions of the user. The user " +
          "is told, and sets up a new app at the next login if one is required. Does nothing for a user without an app. " +
          "Fails with 400 for the caller, and with 403 if the user has privileges that the caller lacks."
      )
      .annotate(GuardOf, guard("user", "UPDATE"))
      .annotate(StepUpOf, freshSession),
    HttpApiEndpoint.post("reinvite", "/users/:id/invite", {
      params: ResourceId,
      success: One(InvitedUser),
      error: acting
    })
      .annotate(OpenApi.Summary, "Renew the invite link of a user")
      .annotate(
        OpenApi.Description,
        "Invalidates the old link. Only for active users who have not joined. Also requires what creating the user would require. A link of another account can only be renewed by a Super Admin."
      )
      .annotate(GuardOf, guard("user", "UPDATE"))
      .annotate(StepUpOf, freshSession)
  )
) {}
