variable "name" {
  description = "Name of the vault. Everything that is created begins with it."
  type        = string
  default     = "strongroom"
}

variable "image" {
  description = "Image of the vault in a registry that ECS pulls from, by digest."
  type        = string
}

variable "public_url" {
  description = "Public URL of the vault, such as https://vault.example.com."
  type        = string
}

variable "certificate_arn" {
  description = "Certificate in ACM for the host of public_url."
  type        = string
}

variable "vpc_id" {
  description = "VPC of the vault."
  type        = string
}

variable "private_subnet_ids" {
  description = "Subnets of database, servers and workers, in at least two zones, with a way to ECR, KMS and Secrets Manager."
  type        = list(string)
}

variable "public_subnet_ids" {
  description = "Subnets of the load balancer, in at least two zones."
  type        = list(string)
}

variable "public_subnet_cidrs" {
  description = "Networks of public_subnet_ids. Servers trust the load balancer's addresses in them."
  type        = list(string)
}

variable "database_ca_file" {
  description = "Path in the image of the CA bundle of RDS. The public image does not have it: add it to your own."
  type        = string
  default     = "/etc/strongroom/rds-ca.pem"
}

variable "instance_class" {
  description = "Class of the database instance."
  type        = string
  default     = "db.m7g.large"
}
