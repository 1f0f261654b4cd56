import { docsSchema } from '@astrojs/starlight/schema';
import { defineCollection } from 'astro:content';
import { markdownFiles } from '../markdown-files.mjs';

export const collections = { docs: defineCollection({ loader: markdownFiles(), schema: docsSchema() }) };
