// A receiver of webhooks in a process of its own, so that its CPU does not count for the sender.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveMeasurements } from './measured-process.ts';

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => response.writeHead(204).end());
});
server.listen(0, '127.0.0.1', () => {
  serveMeasurements(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
