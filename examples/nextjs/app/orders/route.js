import { takeOrder } from '../../../javascript/shop.mjs';
import { respond } from '../respond.js';

export const POST = respond(takeOrder);
