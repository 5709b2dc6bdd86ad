import { HttpApi, OpenApi } from "effect/http-api"
import { endpointsOf } from "./Endpoints.ts"
import { LegacySurface } from "./legacy/LegacySurface.ts"
import { NewerSurface } from "./NewerSurface.ts"
import { description } from "./openapi/Introduction.ts"
import { complete } from "./openapi/OpenApiDocument.ts"

/** Both surfaces in one OpenAPI document. */
export class Contract extends HttpApi.make("wcs")
  .addHttpApi(NewerSurface)
  .addHttpApi(LegacySurface)
  .annotate(OpenApi.Title, "Workforce Compliance Service")
  .annotate(OpenApi.Version, "1")
  .annotate(OpenApi.Description, description)
  .annotate(OpenApi.Servers, [{ url: "/", description: "Each tenant has its own host, which serves this document." }])
  .annotate(OpenApi.Transform, (generated) =>
    complete(endpointsOf(NewerSurface), endpointsOf(LegacySurface), generated)
  ) {}
