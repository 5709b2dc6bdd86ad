import { All, Controller, NotFoundException } from "@nestjs/common"

/** Guards run for routes only, and calls of unknown paths are authenticated and counted too. */
@Controller("openapi/v1")
export class UnknownPathController {
  @All("*path")
  refuse(): never {
    throw new NotFoundException()
  }
}
