/** A server with express-openapi-validator, as its documentation shows it, on the document on standard input; it prints its port. */
import { json } from 'node:stream/consumers';
import express from 'express';
import * as OpenApiValidator from 'express-openapi-validator';

const app = express();
app.use(express.json());
app.use(
  OpenApiValidator.middleware({
    apiSpec: await json(process.stdin),
    validateRequests: true,
    validateSecurity: { handlers: { bearer: () => true } },
  }),
);
app.use((request, response) => response.json(request.body ?? null));
app.use((error, _request, response, _next) => response.status(error.status ?? 500).json({ message: error.message }));
const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port));
