import { DeletionReason, DocumentsView, DocumentView, documentLimits } from "@wcs/domain/document/Document"
import { documentForms, formNames } from "@wcs/domain/document/DocumentForm"
import { NoteView, NoteWrite } from "@wcs/domain/note/Note"
import { Caretaker, CaretakerView } from "@wcs/domain/note/Notes"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Location, Many, One, Page, ResourceId } from "./Envelope.ts"
import { GuardOf, guard, judgedWithin } from "./Guard.ts"
import { listParameters, parameter, timelineParameters } from "./ListParameters.ts"
import { guarded } from "./Middleware.ts"
import { everyBody, everyCall, wireErrors } from "./WireError.ts"

const Shown = DocumentView.annotate({ identifier: "Document" })
/** A document of a record, in a path. */
export const documentOfOne = {
  ...ResourceId,
  documentId: Schema.String.annotate({ description: "Id of the document, `doc_` and 16 letters or digits." })
}
const errors = [wireErrors.INVALID_ARGUMENT, wireErrors.UNPROCESSABLE, ...everyCall] as const

/** The content of a document. */
export const file = Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "application/octet-stream" }))

export const downloadDescription =
  "The file as it was uploaded, to be saved and never shown by a browser. Each call is in the audit log, with the action `look`."

const mediaTypes = Object.values(documentForms).map(({ mediaType }) => mediaType)

/** `/credentials/{id}/documents`: scans of cards and letters (DECISIONS.md#documents). */
export class DocumentsApi extends guarded(
  HttpApiGroup.make("documents").add(
    HttpApiEndpoint.get("list", "/credentials/:id/documents", {
      params: ResourceId,
      success: One(DocumentsView.annotate({ identifier: "Documents" })),
      error: errors
    })
      .annotate(OpenApi.Summary, "List the documents of a credential")
      .annotate(GuardOf, guard("credential", "READ")),
    HttpApiEndpoint.post("create", "/credentials/:id/documents", {
      params: ResourceId,
      query: {
        name: parameter(`Name of the file, at most ${documentLimits.nameCharacters} characters.`)
      },
      payload: file,
      success: HttpApiSchema.WithHeaders(One(Shown).pipe(HttpApiSchema.status(201)), Location),
      error: [wireErrors.UNPROCESSABLE, ...everyBody, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Upload a document of a credential")
      .annotate(
        OpenApi.Description,
        `Stores a file, encrypted: ${formNames.join(", ")}. The content decides, not the name or the Content-Type, which may also be ${mediaTypes.join(", ")}. At most ${documentLimits.bytes / 1024 / 1024} MiB, and ${documentLimits.ofRecord} documents of a credential. The service never opens, converts or scans a file for viruses.`
      )
      .annotate(GuardOf, guard("credential", "UPDATE", "intensive")),
    HttpApiEndpoint.get("read", "/credentials/:id/documents/:documentId", {
      params: documentOfOne,
      success: file,
      error: errors
    })
      .annotate(OpenApi.Summary, "Download a document of a credential")
      .annotate(OpenApi.Description, downloadDescription)
      .annotate(GuardOf, guard("credential", "READ")),
    HttpApiEndpoint.delete("remove", "/credentials/:id/documents/:documentId", {
      params: documentOfOne,
      query: { reason: parameter("Why. Required. The list of documents shows it.", DeletionReason) },
      success: HttpApiSchema.NoContent,
      error: errors
    })
      .annotate(OpenApi.Summary, "Delete a document of a credential")
      .annotate(
        OpenApi.Description,
        "Deletes the file and its name for good. The list keeps who deleted it, when and why."
      )
      .annotate(GuardOf, guard("credential", "UPDATE"))
  )
) {}

const NoteOf = NoteView.annotate({ identifier: "Note" })
const CaretakerOf = CaretakerView.annotate({ identifier: "Caretaker" })

const privileges =
  "Needs READ of the record's type, worker, applicant or task, and UPDATE to write. A user of units reaches the records of " +
  "people in them."

/** `/notes`, `/me/mentions` and `/caretakers` (DECISIONS.md#notes). */
export class NotesApi extends guarded(
  HttpApiGroup.make("notes").add(
    HttpApiEndpoint.get("list", "/notes", {
      query: {
        ...timelineParameters("written", "desc"),
        about: parameter("Id of the worker, applicant or task. Required.")
      },
      success: Many(NoteOf),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "List the notes about a record")
      .annotate(
        OpenApi.Description,
        `Those of a worker include notes about its tasks, and those of workers that were merged into it. ${privileges}`
      )
      .annotate(GuardOf, judgedWithin),
    HttpApiEndpoint.post("write", "/notes", {
      payload: NoteWrite.annotate({ identifier: "NoteWrite" }),
      success: One(NoteOf),
      error: [wireErrors.UNPROCESSABLE, ...everyBody, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Write a note about a record")
      .annotate(OpenApi.Description, privileges)
      .annotate(GuardOf, judgedWithin),
    HttpApiEndpoint.delete("remove", "/notes/:id", {
      params: ResourceId,
      success: HttpApiSchema.NoContent,
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Delete a note")
      .annotate(OpenApi.Description, "For its author, or a Super Admin. There is no undo.")
      .annotate(GuardOf, judgedWithin),
    HttpApiEndpoint.get("mentions", "/me/mentions", {
      query: { cursor: listParameters.cursor, pageSize: listParameters.pageSize },
      success: Page(NoteOf).annotate({ identifier: "MentionPage" }),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "List the notes that mention you")
      .annotate(
        OpenApi.Description,
        "Newest first, about records that you can read. A page can have fewer than `pageSize`."
      )
      .annotate(GuardOf, judgedWithin),
    HttpApiEndpoint.get("caretaker", "/caretakers/:id", {
      params: ResourceId,
      success: One(CaretakerOf),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Read who looks after a person")
      .annotate(OpenApi.Description, `The id is that of the worker or applicant. ${privileges}`)
      .annotate(GuardOf, judgedWithin),
    HttpApiEndpoint.put("setCaretaker", "/caretakers/:id", {
      params: ResourceId,
      payload: Caretaker.annotate({ identifier: "CaretakerWrite" }),
      success: One(CaretakerOf),
      error: [wireErrors.UNPROCESSABLE, ...everyBody, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Choose who looks after a person")
      .annotate(OpenApi.Description, `The id is that of the worker or applicant. ${privileges}`)
      .annotate(GuardOf, judgedWithin)
  )
) {}
