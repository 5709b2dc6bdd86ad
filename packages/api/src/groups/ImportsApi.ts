import type { Privilege } from "@wcs/domain/access/Privilege"
import { fileLimits, ImportDocument, ImportsMax, Status } from "@wcs/domain/import/Import"
import { ImportRowDocument, Outcome } from "@wcs/domain/import/ImportRow"
import { ImportCheck, ImportRun } from "@wcs/domain/import/Imports"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Location, Many, One, Page, ResourceId } from "../Envelope.ts"
import { GuardOf, guardOfAll } from "../Guard.ts"
import { pageParameters, parameter, timelineParameters } from "../ListParameters.ts"
import { guarded } from "../Middleware.ts"
import { withOptionalBody } from "../openapi/OptionalBody.ts"
import { everyBody, everyCall, wireErrors } from "../WireError.ts"

const document = ImportDocument.annotate({ identifier: "Import" })
const row = ImportRowDocument.annotate({ identifier: "ImportRow" })

/** What a call does with imports and with workers. */
const using = (
  operation: Privilege["operation"],
  workers: ReadonlyArray<Privilege["operation"]>,
  tier: "standard" | "intensive" = "standard"
) =>
  guardOfAll(
    [
      { entityType: "import", operation },
      ...workers.map((each): Privilege => ({ entityType: "worker", operation: each }))
    ],
    tier
  )

const reading = [wireErrors.INVALID_ARGUMENT, ...everyCall] as const
const acting = [wireErrors.INVALID_ARGUMENT, wireErrors.UNPROCESSABLE, ...everyCall] as const
const actingWithBody = [wireErrors.UNPROCESSABLE, ...everyBody, ...everyCall] as const

const inBackground = "The work goes on in the background: read the import to follow it."

const file = Schema.String.annotate({
  description: "The file. The first row has the names of the columns."
}).pipe(HttpApiSchema.asText({ contentType: "text/csv" }))

/** `/imports`: workers from a CSV file. */
export class ImportsApi extends guarded(
  HttpApiGroup.make("imports").add(
    HttpApiEndpoint.get("list", "/imports", {
      query: {
        ...timelineParameters("uploaded", "desc"),
        status: parameter("Exact match on the status.", Status)
      },
      success: Many(document),
      error: reading
    }).annotate(GuardOf, using("READ", ["READ"])),
    HttpApiEndpoint.post("create", "/imports", {
      query: { name: parameter("Name of the file, for people. At most 200 characters.") },
      payload: file,
      success: HttpApiSchema.WithHeaders(One(document).pipe(HttpApiSchema.status(201)), Location),
      error: actingWithBody
    })
      .annotate(OpenApi.Summary, "Upload a file of workers")
      .annotate(
        OpenApi.Description,
        `Stores the rows of a CSV file in UTF-8 and proposes a mapping of its columns. Nothing is written to workers yet. Commas, semicolons or tabs separate the cells. A file has at most ${fileLimits.rows} rows, ${fileLimits.columns} columns and ${fileLimits.bytes / 1024 / 1024} MiB. A tenant keeps at most ${ImportsMax.defaultValue()} imports. An import is deleted 7 days after its last change.`
      )
      .annotate(GuardOf, using("CREATE", ["READ", "CREATE", "UPDATE"], "intensive")),
    HttpApiEndpoint.get("read", "/imports/:id", {
      params: ResourceId,
      success: One(document),
      error: reading
    }).annotate(GuardOf, using("READ", ["READ"])),
    HttpApiEndpoint.get("rows", "/imports/:id/rows", {
      params: ResourceId,
      query: { ...pageParameters, outcome: parameter("Exact match on the outcome.", Outcome) },
      success: Page(row),
      error: reading
    })
      .annotate(OpenApi.Summary, "List the rows of an import")
      .annotate(GuardOf, using("READ", ["READ"])),
    HttpApiEndpoint.post("check", "/imports/:id/check", {
      params: ResourceId,
      payload: ImportCheck.annotate({ identifier: "ImportCheck" }),
      success: One(document),
      error: actingWithBody
    })
      .annotate(OpenApi.Summary, "Check the rows of an import")
      .annotate(
        OpenApi.Description,
        `Judges each row as a run would, and writes no worker. A row whose \`source.externalId\` a worker has updates that worker. ${inBackground}`
      )
      .annotate(OpenApi.Transform, withOptionalBody)
      .annotate(GuardOf, using("UPDATE", ["READ"], "intensive")),
    HttpApiEndpoint.post("run", "/imports/:id/run", {
      params: ResourceId,
      payload: ImportRun.annotate({ identifier: "ImportRun" }),
      success: One(document),
      error: actingWithBody
    })
      .annotate(OpenApi.Summary, "Carry out an import")
      .annotate(
        OpenApi.Description,
        `Creates and updates workers, each by itself and once. Empty cells keep the stored value. Faulty rows are skipped. The login may end meanwhile; the account must keep its privileges. ${inBackground}`
      )
      .annotate(OpenApi.Transform, withOptionalBody)
      .annotate(GuardOf, using("UPDATE", ["READ", "CREATE", "UPDATE"], "intensive")),
    HttpApiEndpoint.post("undo", "/imports/:id/undo", {
      params: ResourceId,
      success: One(document),
      error: acting
    })
      .annotate(OpenApi.Summary, "Undo an import")
      .annotate(
        OpenApi.Description,
        `Deletes the workers that the import created and restores those that it updated. Nothing is undone if one of them was changed or deleted since, or a created one has a credential, an exemption, a fetch request or a ban. ${inBackground}`
      )
      .annotate(GuardOf, using("UPDATE", ["READ", "UPDATE", "DELETE"], "intensive")),
    HttpApiEndpoint.delete("remove", "/imports/:id", {
      params: ResourceId,
      success: HttpApiSchema.NoContent,
      error: acting
    })
      .annotate(
        OpenApi.Description,
        "Deletes the file and the record of its rows. The workers stay, and the undo ends."
      )
      .annotate(GuardOf, using("DELETE", ["READ"]))
  )
) {}
