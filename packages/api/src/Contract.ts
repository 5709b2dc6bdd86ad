import { HttpApi, OpenApi } from "effect/http-api"
import { describeGuards } from "./DescribedGuards.ts"
import { describeSessions } from "./DescribedSessions.ts"
import { endpointsOf } from "./Endpoints.ts"
import { LegacySurface } from "./LegacySurface.ts"
import { NewerSurface } from "./NewerSurface.ts"
import { complete, description } from "./OpenApiDocument.ts"

/** Both surfaces, as the OpenAPI document tells them. */
export class Contract extends HttpApi.make("wcs")
  .addHttpApi(NewerSurface)
  .addHttpApi(LegacySurface)
  .annotate(OpenApi.Title, "Workforce Compliance Service")
  .annotate(OpenApi.Version, "1")
  .annotate(OpenApi.Description, description)
  .annotate(OpenApi.Servers, [
    { url: "/", description: "Each tenant has a host of its own, which serves this document." }
  ])
  .annotate(OpenApi.Transform, (generated) =>
    describeSessions(
      endpointsOf(NewerSurface),
      describeGuards([...endpointsOf(NewerSurface), ...endpointsOf(LegacySurface)], complete(generated))
    )
  ) {}
