import { Task } from "@wcs/domain/screening/Task"
import { Assignment, TaskView } from "@wcs/domain/screening/Tasks"
import { TaskId } from "@wcs/domain/shared/Id"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { documentOf, Many, One, ResourceId } from "./Envelope.ts"
import { GuardOf, guard } from "./Guard.ts"
import { listParameters, parameter, sortOf, unitOf } from "./ListParameters.ts"
import { TableOf } from "./ListTable.ts"
import { taskTable } from "./ListTables.ts"
import { guarded } from "./Middleware.ts"
import { ResourceOf } from "./ResourceOf.ts"
import { everyBody, everyCall, wireErrors } from "./WireError.ts"

/** The response form of a task. */
const TaskDocument = documentOf("task", TaskId, TaskView.fields).annotate({ identifier: "Task" })

/** `/tasks`: work that needs a person (DECISIONS.md#tasks). */
export class TasksApi extends guarded(
  HttpApiGroup.make("tasks").add(
    HttpApiEndpoint.get("list", "/tasks", {
      query: {
        ...listParameters,
        sort: sortOf(Task),
        reason: parameter("Exact match on the reason."),
        workerId: parameter("Tasks about cards and bans of the worker with this id."),
        applicantId: parameter("Tasks about cards of the applicant with this id, which no worker owns."),
        unit: unitOf("Tasks about cards and bans"),
        assigneeId: parameter("Tasks that the user with this id owns.")
      },
      success: Many(TaskDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(TableOf, taskTable)
      .annotate(
        OpenApi.Description,
        "The server opens a task within seconds after a state began, and ends it with the state. A page has what the " +
          "caller may read, and can have fewer than `pageSize`."
      )
      .annotate(GuardOf, guard("task", "READ"))
      .annotate(ResourceOf, Task),
    HttpApiEndpoint.post("assign", "/tasks/:id/assign", {
      params: ResourceId,
      payload: Assignment.annotate({ identifier: "Assignment" }),
      success: One(TaskDocument),
      error: [wireErrors.UNPROCESSABLE, ...everyBody, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Assign a task to a user")
      .annotate(GuardOf, guard("task", "UPDATE"))
  )
) {}
