import { ChangeDocument, fromNow } from "@wcs/domain/service/Changes"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Followed } from "../Envelope.ts"
import { GuardOf, judgedWithin } from "../Guard.ts"
import { listParameters, parameter } from "../ListParameters.ts"
import { guarded } from "../Middleware.ts"
import { everyCall, wireErrors } from "../WireError.ts"

/** `/changes`: the changes of all rows that the caller may read, in order (DECISIONS.md#changes). */
export class ChangesApi extends guarded(
  HttpApiGroup.make("changes").add(
    HttpApiEndpoint.get("list", "/changes", {
      query: {
        after: parameter(
          `\`meta.position\` of an earlier page, or \`${fromNow}\` for the newest position without changes. If absent, ` +
            "the changes begin with the first one."
        ),
        pageSize: listParameters.pageSize,
        include: parameter(
          "auditEvents: adds the audit event of each change. Requires READ of audit events.",
          Schema.Literal("auditEvents")
        )
      },
      success: Followed(ChangeDocument.annotate({ identifier: "Change" })),
      error: [wireErrors.INVALID_ARGUMENT, wireErrors.POSITION_UNKNOWN, ...everyCall]
    })
      .annotate(OpenApi.Summary, "List changes")
      .annotate(
        OpenApi.Description,
        "Returns the changes after a position in a fixed order. A committed change never appears before a position that " +
          "was returned earlier, so a client that follows the positions misses none. Shows changes of the types that the " +
          "caller may READ; with READ of audit events, of all types. Changes of tasks also need READ of credentials, " +
          "workers and verification sources. A page can have fewer changes than `pageSize`, or none, although " +
          "`meta.hasMore` is true. Positions never expire. See the guide *Paging and copies*."
      )
      .annotate(GuardOf, judgedWithin)
  )
) {}
